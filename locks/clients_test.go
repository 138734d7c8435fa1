package locks

import (
	"strings"
	"testing"
)

const kimiScript = "/usr/lib/node_modules/@moonshot-ai/kimi-code/dist/main.mjs"

func TestRecognise(t *testing.T) {
	tests := []struct {
		name string
		path string
		comm string
		args string // separated by spaces
		want string // "" for a stranger
	}{
		{"Kimi after it set its title", "/usr/bin/node", "kimi-code", "", "Kimi"},
		{"Kimi before, by script", "/usr/bin/node", "MainThread", "node " + kimiScript + " -S session_1", "Kimi"},
		{"Kimi before, with options for the runtime", "/usr/bin/node", "node", "node --no-warnings " + kimiScript, "Kimi"},
		{"Kimi before, by its link", "/usr/bin/node", "node", "node /usr/local/bin/kimi -p hello", "Kimi"},
		{"Kimi as an executable of its own", "/home/dev/.local/bin/kimi", "kimi", "kimi", "Kimi"},
		{"Kimi inside an editor's runtime", "/usr/share/code/code", "code", "code " + kimiScript, "Kimi"},
		{"Kimi on Windows", `kimi.exe`, "kimi.exe", "kimi", "Kimi"},
		{"a runtime with something else", "/usr/bin/node", "node", "node server.js", ""},
		{"an editor that shows Kimi's script", "/usr/bin/vim", "vim", "vim " + kimiScript, ""},
		{"a folder of that name", "/usr/bin/ls", "ls", "ls /home/dev/kimi", ""},
		{"Claude Code by title", "/usr/bin/node", "claude", "", "Claude Code"},
		{"Claude Code by script", "/usr/bin/node", "node", "node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js", "Claude Code"},
		{"Codex", "/usr/bin/codex", "codex", "codex", "Codex"},
		{"VS Code", "/usr/share/code/code", "code", "/usr/share/code/code --unity-launch", "VS Code"},
		{"a helper of VS Code", "/usr/share/code/code", "code", "/usr/share/code/code --type=renderer", ""},
		{"nothing known", "", "", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := program{path: tt.path, comm: tt.comm}
			if tt.args != "" {
				p.args = strings.Fields(tt.args)
			}
			var got string
			if k := recognise(p); k != nil {
				got = k.name
				if k.program == "" {
					t.Error("no code word")
				}
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestMayHost(t *testing.T) {
	tests := []struct {
		program, comm string
		want          bool
	}{
		{"/usr/bin/node", "MainThread", true},
		{"/usr/bin/node22 (deleted)", "", true},
		{"/nix/store/x/bin/.kimi-wrapped", "", true},
		{"/home/dev/.bun/bin/bun", "", true},
		{"/usr/bin/qemu-x86_64-static", "kimi-code", true},
		{"/lib64/ld-linux-x86-64.so.2", "", true},
		{"/usr/share/codium/codium", "", true},
		{"/opt/agent", "kimi-code", true},
		{"/usr/bin/berth", "", true},
		{"/usr/bin/vim", "vim", false},
		{"/usr/bin/bash", "bash", false},
		{"", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.program, func(t *testing.T) {
			p := ProcessFacts{Program: tt.program, Comm: tt.comm}
			if got := p.mayHost(); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// What Clients names must be among what Judge takes for a possible holder: one table serves both.
func TestKindsMayHost(t *testing.T) {
	for _, k := range kinds {
		for _, exe := range k.exes {
			if p := (ProcessFacts{Program: "/usr/bin/" + exe}); !p.mayHost() {
				t.Errorf("%s: program %s is a stranger", k.name, exe)
			}
		}
		if p := (ProcessFacts{Program: "/opt/x", Comm: k.comm}); k.comm != "" && !p.mayHost() {
			t.Errorf("%s: command %s is a stranger", k.name, k.comm)
		}
	}
}

func TestDisplayName(t *testing.T) {
	tests := []struct {
		name string
		comm string
		at   surface
		want string
	}{
		{"in a terminal", "kimi-code", surface{tty: "pts/2"}, "Kimi in a terminal"},
		{"without one", "kimi-code", surface{}, "Kimi"},
		{"print mode, from a terminal", "kimi-code", surface{tty: "pts/2", print: true}, "Kimi"},
		{"a server, from a terminal", "kimi-code", surface{tty: "pts/2", server: true}, "Kimi server"},
		{"below an editor", "kimi-code", surface{editor: "VS Code"}, "VS Code"},
		{"in the terminal of an editor", "kimi-code", surface{tty: "pts/2", editor: "VS Code"}, "Kimi in a terminal of VS Code"},
		{"print mode below an editor", "kimi-code", surface{print: true, editor: "VS Code"}, "Kimi"},
		{"another client", "claude", surface{tty: "pts/2"}, "Claude Code"},
	}
	for _, tt := range tests {
		if got := recognise(program{comm: tt.comm}).displayName(tt.at); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestClientString(t *testing.T) {
	tests := []struct {
		c    Client
		want string
	}{
		{Client{Identity: Identity{PID: 3988}, Name: "Kimi in a terminal", TTY: "pts/2"}, "Kimi in a terminal (pid 3988, pts/2)"},
		{Client{Identity: Identity{PID: 7}, Name: "Kimi"}, "Kimi (pid 7)"},
		{Client{Identity: Identity{PID: 7}}, "a process (pid 7)"},
	}
	for _, tt := range tests {
		if got := tt.c.String(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func TestEditorNamed(t *testing.T) {
	for path, want := range map[string]string{
		"/usr/share/code/code": "VS Code", "/usr/share/codium/codium": "VS Code", "/usr/bin/bash": "", "/usr/bin/kimi": "", "": "",
	} {
		if got := editorNamed(program{path: path}); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}

func TestServesByArgs(t *testing.T) {
	tests := []struct {
		args string
		want bool
	}{
		{"node " + kimiScript + " web --port 1", true},
		{"kimi web", true},
		{"kimi server", true},
		{"kimi -p web", false},
		{"kimi", false},
	}
	for _, tt := range tests {
		if got := servesByArgs(strings.Fields(tt.args)); got != tt.want {
			t.Errorf("%s: got %v", tt.args, got)
		}
	}
}

func TestPrintsByArgs(t *testing.T) {
	for args, want := range map[string]bool{
		"kimi -p hello": true, "kimi -S session_1 --prompt hello": true, "kimi --prompt=hello": true,
		"kimi": false, "kimi -S session_1": false, "kimi --plan": false,
	} {
		if got := printsByArgs(strings.Fields(args)); got != want {
			t.Errorf("%s: got %v", args, got)
		}
	}
}

// A time would say that every client that runs is known; from inside a sandbox that cannot be seen.
func TestLookInSandbox(t *testing.T) {
	s := NewSystem()
	s.fixed.Sandboxed = true
	s.Look()
	if got, looked := s.Clients(); got != nil || !looked.IsZero() {
		t.Errorf("got %+v at %v", got, looked)
	}
}
