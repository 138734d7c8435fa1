package sessions

import (
	"testing"

	"berth/locks/locktest"
)

func TestMain(m *testing.M) { locktest.Main(m) }
