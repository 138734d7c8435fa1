// Command berth is the service and its command line: it watches the stores that several agent clients share,
// and says which Session is free, who holds the others, and why.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"berth/locks"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Getenv, os.Stdin, os.Stdout, os.Stderr)
	stop()
	locks.ReleaseAll() // what a verb that was interrupted still held
	os.Exit(code)
}
