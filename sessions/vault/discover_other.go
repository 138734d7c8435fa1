//go:build !windows && !darwin

package vault

// obsidianDirs are the folders that may hold Obsidian's own: the user's configuration folder, and those
// of its Flatpak and Snap.
func obsidianDirs(getenv func(string) string) []string {
	home, config := getenv("HOME"), getenv("XDG_CONFIG_HOME")
	if config == "" {
		config = under(home, ".config")
	}
	return []string{config, under(home, ".var/app/md.obsidian.Obsidian/config"), under(home, "snap/obsidian/current/.config")}
}
