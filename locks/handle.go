package locks

// The contract of handle_linux.go and handle_other.go. A handle is bound to a process and not to its number.
//
//	openHandle(id Identity) *handle  // never nil; of a process that was alive just now
//	(*handle).close()
//	(*System).ended(all []*known) []*known // those whose process has ended, a zombie included
