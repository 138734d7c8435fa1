package locks

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// kind is one known client and how its processes are recognised. Programs of no kind at all are the
// strangers of rule 7.
type kind struct {
	program string // code word, see [Client]
	name    string
	// comm is the command name (on Linux also after the process set its title, when its arguments
	// can no longer be read).
	comm string
	// exes are base names of executables of its own, lower case, without extension.
	exes []string
	// script is a part of the path of its main script, when it runs in one of the runtimes.
	script string
	// command is the base name of the link through which the script is started.
	command string
	// editor says that other clients run inside of it.
	editor bool
	// products are prefixes of the clientIdentity that it writes into locks.
	products []string
}

// kinds were learned by running the clients (Kimi Code 2.1.0: title "kimi-code" after about a second,
// "node …/@moonshot-ai/kimi-code/dist/main.mjs" before) and from the packages that publish them.
var kinds = []kind{
	{program: kimi, name: "Kimi", comm: "kimi-code", exes: []string{"kimi", "kimi-code"}, script: "@moonshot-ai/kimi-code/", command: "kimi", products: []string{"kimi"}},
	{program: "claude", name: "Claude Code", comm: "claude", exes: []string{"claude"}, script: "@anthropic-ai/claude-code/", command: "claude"},
	{program: "codex", name: "Codex", comm: "codex", exes: []string{"codex"}, script: "@openai/codex/", command: "codex"},
	{program: "vscode", name: "VS Code", exes: []string{"code", "code-insiders", "codium", "vscodium"}, editor: true},
}

const kimi = "kimi"

// runtimes are prefixes of the executables that can run a client without being one: script engines,
// editors that embed one, emulators, loaders and wrappers that stand in front of one, and berth itself,
// which takes locks as clients do.
var runtimes = []string{
	"kimi", "node", "bun", "deno", "electron", "code", "codium", "vscodium", "cursor", "windsurf", "trae", "zed",
	"python", "qemu", "box64", "ld-", "ld.", "wine", "berth",
	"mainthread", // what Node calls its main thread, where the executable is not shown
}

// program is what can be seen of a process from outside.
type program struct {
	path string   // of the executable, "" when unknown
	comm string   // command name
	args []string // nil when they cannot be read or were wiped
}

// base returns the executable's base name in the form that the tables have.
func (p program) base() string {
	b := strings.TrimSuffix(filepath.Base(p.path), " (deleted)") // replaced by an update while it runs
	b = strings.TrimSuffix(strings.ToLower(b), ".exe")
	return strings.TrimPrefix(b, ".") // wrapped executables of some distributions
}

func (p program) inRuntime() bool {
	b := p.base()
	return slices.ContainsFunc(runtimes, func(r string) bool { return strings.HasPrefix(b, r) })
}

// recognise returns the kind of a process, nil for a stranger.
func recognise(p program) *kind {
	for i := range kinds {
		if k := &kinds[i]; k.matches(p) {
			return k
		}
	}
	return nil
}

func (k *kind) matches(p program) bool {
	if k.comm != "" && p.comm == k.comm || k.runsScript(p) {
		return true
	}
	// Helper processes of an Electron application are not the application.
	return slices.Contains(k.exes, p.base()) &&
		!slices.ContainsFunc(p.args, func(a string) bool { return strings.HasPrefix(a, "--type=") })
}

// runsScript reports whether p is a runtime with the client's script among its arguments.
func (k *kind) runsScript(p program) bool {
	if k.script == "" || len(p.args) < 2 || !p.inRuntime() {
		return false
	}
	return filepath.Base(p.args[1]) == k.command ||
		slices.ContainsFunc(p.args[1:], func(a string) bool { return strings.Contains(filepath.ToSlash(a), k.script) })
}

// editorProgram reports whether a program is an editor that clients run inside of.
func editorProgram(program string) bool {
	return slices.ContainsFunc(kinds, func(k kind) bool { return k.program == program && k.editor })
}

// mayHost reports whether a client could run in this process. It errs on the side of yes. Of another
// user's process the kernel shows the command name alone, which begins as that of the executable.
func (p *ProcessFacts) mayHost() bool {
	q := program{path: cmp.Or(p.Program, p.Comm), comm: p.Comm}
	return q.inRuntime() || recognise(q) != nil
}

// knownProduct reports whether client, as written in a lock, is one of which kinds and runtimes tell
// all it can run in.
func knownProduct(client string) bool {
	client = strings.ToLower(client)
	return slices.ContainsFunc(kinds, func(k kind) bool {
		return slices.ContainsFunc(k.products, func(p string) bool { return strings.HasPrefix(client, p) })
	})
}

// surface is where a client runs, as far as can be seen from outside.
type surface struct {
	tty    string // the controlling terminal, or ""
	editor string // the editor among the processes above it, or ""
	server bool   // it serves others
	print  bool   // it was started for one prompt
}

// displayName tells the surfaces of one client apart.
func (k *kind) displayName(at surface) string {
	switch {
	case k.program != kimi:
		return k.name
	case at.server:
		return k.name + " server"
	case at.print:
		return k.name
	case at.editor != "" && at.tty == "":
		return at.editor
	case at.editor != "":
		return k.name + " in a terminal of " + at.editor
	case at.tty != "":
		return k.name + " in a terminal"
	}
	return k.name
}

// String names the process among others: "Kimi in a terminal (pid 3988, pts/2)".
func (c Client) String() string {
	name := c.Name
	if name == "" {
		name = "a process"
	}
	if c.TTY != "" {
		return fmt.Sprintf("%s (pid %d, %s)", name, c.PID, c.TTY)
	}
	return fmt.Sprintf("%s (pid %d)", name, c.PID)
}

// editorNamed returns the name of the editor whose executable this is, or "".
func editorNamed(p program) string {
	for i := range kinds {
		if k := &kinds[i]; k.editor && slices.Contains(k.exes, p.base()) {
			return k.name
		}
	}
	return ""
}

// servesByArgs reports whether the command, when it still can be read, starts a server. The first
// option ends the search: what follows may be a prompt.
func servesByArgs(args []string) bool {
	for _, a := range args {
		switch {
		case strings.HasPrefix(a, "-"):
			return false
		case a == "web" || a == "server":
			return true
		}
	}
	return false
}

// printsByArgs reports whether the command, when it still can be read, is for one prompt only.
func printsByArgs(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		return a == "-p" || a == "--prompt" || strings.HasPrefix(a, "--prompt=")
	})
}
