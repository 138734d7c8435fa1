package watcher

// limitOf: see limits_linux.go. There is no limit of its own here.
func limitOf(error) limit { return limit{} }

// maxWatches: see limits_linux.go. Each watched directory takes a handle, a buffer
// (windowsBufferBytes), and blocks renaming of its parents, so few are better.
func maxWatches() int { return 4096 }
