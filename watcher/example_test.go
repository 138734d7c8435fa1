package watcher_test

import (
	"context"
	"fmt"
	"strings"

	"berth/watcher"
)

// A reader lists what the first batch names, which is everything, and from then on looks at what each
// batch says.
func ExampleWatcher() {
	w, err := watcher.New(watcher.Config{Roots: []watcher.Root{{
		Path:   "/home/dev/notes",
		Dir:    func(rel string) watcher.Mode { return watcher.Pinned },
		Ignore: func(rel string) bool { return strings.HasSuffix(rel, ".swp") },
	}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for batch := range w.Batches() { // ends when Run does
			for _, root := range batch.Rescan {
				fmt.Println("list", root)
			}
			for _, e := range batch.Events {
				fmt.Println("look at", e.Path)
			}
			cancel()
		}
	}()
	fmt.Println(w.Run(ctx))
	<-done
	// Output:
	// list /home/dev/notes
	// context canceled
}
