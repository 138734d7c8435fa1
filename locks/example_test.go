package locks_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"berth/locks"
)

// A program that writes into a session takes its lock first, stops when the lock is lost, and gives back what it
// has when it ends, whatever ends it.
func ExampleTake() {
	home, err := os.MkdirTemp("", "home")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(home)
	defer locks.ReleaseAll() // and in the handler of signals

	lease, err := locks.Take(context.Background(), locks.TakeConfig{
		Dir:       filepath.Join(home, "locks", "sessions"),
		SessionID: "session_1",
		Client:    locks.ClientIdentity{ProductName: "berth", Version: "0.2", Platform: "berth"},
		System:    locks.NewSystem(),
	})
	if held, ok := errors.AsType[*locks.HeldError](err); ok {
		fmt.Println("somebody else has it:", held.Judgement.Reason)
		return
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	defer lease.Release()
	if err := lease.Verify(); err == nil { // right before each write
		fmt.Println("written under the lock of", lease.File().SessionID)
	}
	// Output: written under the lock of session_1
}
