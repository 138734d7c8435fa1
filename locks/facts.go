package locks

// The contract of facts_linux.go, facts_darwin.go, facts_windows.go and facts_other.go. What a
// platform does not tell is the zero value (for uids -1), never a guess.
//
//	bootID() string          // changes with every boot and never else
//	bootTime() time.Time     // by the wall clock as it is set now; wall clock minus a boot clock that
//	                         // counts suspended time, never minus an uptime that does not
//	pidNamespace() string    // of this process
//	sandboxed() bool         // see HostFacts
//	sharedName() bool        // see HostFacts
//	watchClock() func() bool // reports whether the wall clock was set since the last call; nil where
//	                         // that cannot be known, or where it would not help (HostFacts)
//	processFacts(pid int, boot time.Time) ProcessFacts // all but Namesake; pid > 0
//	innerProcesses() map[int][]innerProcess
//	(*System).scanClients() []Client           // of this user, in no order; nil where they cannot be listed
//	(*System).examine(pid int) (Client, bool)  // false when it is not recognised as a client
//	(*System).awaitExit(ctx, Identity) error           // for an Identity that was alive just now
