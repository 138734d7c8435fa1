package locks

// Namesake shows the look into inner namespaces to tests that need a child process.
func (s *System) Namesake(f *File) int { return s.namesake(f) }
