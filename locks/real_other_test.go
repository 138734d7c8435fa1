//go:build !linux

package locks_test

import "berth/locks/locktest"

var scenes []locktest.Scene
