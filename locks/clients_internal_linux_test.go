package locks

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestEditorAbove puts a process below a program that has the name of an editor's.
func TestEditorAbove(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(shell)
	if err != nil {
		t.Fatal(err)
	}
	editor := filepath.Join(t.TempDir(), "code")
	if err := os.WriteFile(editor, b, 0o700); err != nil {
		t.Fatal(err)
	}
	// The inner shell says who it is and ends with its standard input.
	cmd := exec.Command(editor, "-c", `"$0" -c 'echo $$; read end'; :`, shell)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait() // the inner shell's end of input is no success
	defer stdin.Close()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	if got := editorAbove(uint64(pid)); got != "VS Code" {
		t.Errorf("below an editor: %q", got)
	}
	if c, ok := NewSystem().examine(pid); ok || c.Name != "VS Code" || !c.Anywhere || c.Dir == "" {
		t.Errorf("a stranger below an editor: %+v, %v", c, ok)
	}
	if got := editorAbove(uint64(os.Getpid())); got != "" {
		t.Errorf("this test: %q", got)
	}
	if got := editorAbove(1); got != "" {
		t.Errorf("the first process: %q", got)
	}
}
