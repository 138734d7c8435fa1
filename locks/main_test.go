package locks_test

import (
	"testing"

	"berth/locks/locktest"
)

func TestMain(m *testing.M) { locktest.Main(m, scenes...) }
