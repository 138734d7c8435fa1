package locks

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const statTail = " S 1 4242 4242 34816 4242 4194304 1 0 0 0 1 2 0 0 20 0 11 0 96656 2047197184 90883 18446744073709551615"

func TestParseStat(t *testing.T) {
	plain := stat{comm: "kimi-code", letter: 'S', parent: 1, tty: 34816, threads: 11, start: 96656}
	named := func(comm string) stat {
		s := plain
		s.comm = comm
		return s
	}
	tests := []struct {
		name string
		line string
		want stat
		ok   bool
	}{
		{"plain", "4242 (kimi-code)" + statTail, plain, true},
		{"name with brackets and spaces", "4242 (a) S (b)" + statTail, named("a) S (b"), true},
		{"name with a line break", "4242 (a\nb)" + statTail, named("a\nb"), true},
		{"empty name", "4242 ()" + statTail, named(""), true},
		{"cut before the start", "4242 (kimi-code) S 1 4242", stat{}, false},
		{"cut behind the bracket", "4242 (kimi-code)", stat{}, false},
		{"empty", "", stat{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := parseStat([]byte(tt.line))
			if got != tt.want || ok != tt.ok {
				t.Errorf("got %+v, %v\nwant %+v, %v", got, ok, tt.want, tt.ok)
			}
		})
	}
}

// A process may call itself anything; the numbers behind the name must come out the same.
func FuzzParseStat(f *testing.F) {
	for _, comm := range []string{"node", ") Z 1 (", "(", "", "\n", "a b c"} {
		f.Add(comm, 96656)
	}
	f.Fuzz(func(t *testing.T, comm string, start int) {
		got, ok := parseStat([]byte("4242 (" + comm + ")" + statTail))
		if !ok || got.comm != comm || got.start != 96656 || got.letter != 'S' {
			t.Errorf("comm %q gives %+v, %v", comm, got, ok)
		}
		parseStat([]byte(comm)) // must not panic
		parseStatus([]byte(comm))
	})
}

func TestParseStatus(t *testing.T) {
	const head = "Name:\tnode\nTgid:\t29310\nUid:\t1000\t1001\t1000\t1000\nGroups:\t4 24\n"
	tests := []struct {
		name, text string
		want       status
	}{
		{"in our namespace", head + "NSpid:\t29310\n", status{tgid: 29310, uids: [2]int{1000, 1001}, depth: 1, inner: 29310}},
		{"two namespaces below", head + "NSpid:\t29310\t17\t1\n", status{tgid: 29310, uids: [2]int{1000, 1001}, depth: 3, inner: 1}},
		{"kernel without NSpid", head, status{tgid: 29310, uids: [2]int{1000, 1001}}},
		{"gone", "", status{uids: [2]int{-1, -1}}},
		{"cut in the users", "Tgid:\t1\nUid:\t10", status{tgid: 1, uids: [2]int{-1, -1}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := parseStatus([]byte(tt.text)); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestTTYName(t *testing.T) {
	tests := []struct {
		major, minor uint32
		want         string
	}{
		{136, 2, "pts/2"},
		{137, 1, "pts/257"},
		{4, 1, "tty1"},
		{4, 64, ""}, // a serial line
		{0, 0, ""},
	}
	for _, tt := range tests {
		if got := ttyName(unix.Mkdev(tt.major, tt.minor)); got != tt.want {
			t.Errorf("%d:%d gives %q, want %q", tt.major, tt.minor, got, tt.want)
		}
	}
}

func TestHasListener(t *testing.T) {
	const table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n" +
		"   0: 0100007F:E5A6 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1\n" +
		"   1: 0100007F:E5A6 0100007F:A000 01 00000000:00000000 00:00000000 00000000     0        0 4712 1\n"
	for inode, want := range map[string]bool{"4711": true, "4712": false, "471": false} {
		if got := hasListener([]byte(table), []string{inode}); got != want {
			t.Errorf("inode %s: got %v", inode, got)
		}
	}
}

func TestOwnFacts(t *testing.T) {
	before := time.Now()
	p := processFacts(os.Getpid(), bootTime())
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if p.State != Running || p.Thread || p.Inner || p.UID != os.Getuid() || p.EUID != os.Geteuid() || p.Program != exe {
		t.Errorf("got %+v", p)
	}
	if age := before.Sub(p.StartTime); age < 0 || age > time.Hour {
		t.Errorf("this process seems to be %v old", age)
	}
	if !strings.HasPrefix(filepath.Base(exe), p.Comm) {
		t.Errorf("command name %q of %s", p.Comm, exe)
	}
}

// The boot is where the kernel has it, to the second that /proc/stat gives (B73).
func TestBootTime(t *testing.T) {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "btime ")
	line, _, _ := strings.Cut(rest, "\n")
	if d := bootTime().Sub(time.Unix(int64(digits([]byte(line))), 0)); d < -time.Second || d > 2*time.Second {
		t.Errorf("boot is %v off", d)
	}
}

func TestClockWatchIsQuiet(t *testing.T) {
	set := watchClock()
	if set == nil {
		t.Fatal("the kernel does not tell when the clock is set")
	}
	for range 3 {
		if set() {
			t.Error("the clock was set, says the watch")
		}
	}
}

// Floors: asking for existence alone, and reading one file of /proc.
func BenchmarkFacts(b *testing.B) {
	pid := os.Getppid()
	b.Run("facts", func(b *testing.B) {
		b.ReportAllocs()
		boot := bootTime()
		for b.Loop() {
			processFacts(pid, boot)
		}
	})
	b.Run("floor kill 0", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			unix.Kill(pid, 0)
		}
	})
	b.Run("floor stat", func(b *testing.B) {
		b.ReportAllocs()
		path := procPath(pid, "stat")
		for b.Loop() {
			os.ReadFile(path)
		}
	})
}

func TestListens(t *testing.T) {
	if listens(os.Getpid()) {
		t.Fatal("listens before it does")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if !listens(os.Getpid()) {
		t.Error("does not listen")
	}
}
