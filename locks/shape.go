package locks

// otherFormat reports whether f is a lock in a format that is not fully known: it may say in fields of its own
// what ends it.
func (f *File) otherFormat() bool { return f.Record.Version > knownVersion }
