package vault

// obsidianDirs are the folders that may hold Obsidian's own.
func obsidianDirs(getenv func(string) string) []string {
	return []string{under(getenv("HOME"), "Library/Application Support")}
}
