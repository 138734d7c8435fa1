package locks

// The contract of counters_linux.go and counters_other.go.
//
//	openCounter(id Identity) (*counter, error) // of a process of this user; an error when the kernel does not
//	                                           // show it, or when id's pid has gone to another process
//	(*counter).read() (uint64, error)          // bytes written since the process began; an error once it has ended
//	(*counter).close()
//
// A counter is bound to its process: after that has ended it never reads the one that gets its pid.
