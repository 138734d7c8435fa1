package sessions

import (
	"slices"
	"strings"
	"testing"
	"time"

	"berth/locks"
)

// client is a live process of the session's program: pid, folder, start.
func client(pid int, dir string, started time.Time) locks.Client {
	return locks.Client{
		Identity: locks.Identity{BootID: "b", PID: pid, Start: uint64(pid)}, Program: "kimi",
		Name: "Kimi in a terminal", Dir: dir, Started: started,
	}
}

// TestFindWriter says who may be behind a turn that began two hours ago in /p.
func TestFindWriter(t *testing.T) {
	early, late := ago(3*time.Hour), ago(time.Hour)
	witness := &Witness{Identity: locks.Identity{BootID: "b", PID: 7, Start: 7}, Seen: ago(2 * time.Hour)}
	server := Server{PID: 9, Name: "Kimi server (port 58627)", StartedAt: early}
	here, elsewhere := client(5, "/p", early), client(6, "/q", early)
	noFolder := func(r *Record) { r.WorkDir = "" }
	noTime := func(r *Record) { r.TurnSince = time.Time{} }

	tests := []struct {
		name     string
		rec      *Record
		witness  *Witness
		alive    locks.Verdict // of the witness
		clients  []locks.Client
		blind    bool // processes cannot be listed
		servers  []Server
		want     Tri
		pids     []int
		via      Via
		evidence []string // parts of the writer's evidence, and of its holder's
	}{
		{name: "no client at all", want: No, evidence: []string{"no client process works in its folder"}},
		{name: "one client in its folder", clients: []locks.Client{here, elsewhere}, want: Yes, pids: []int{5}, via: ViaOnlyCandidate,
			evidence: []string{"Kimi in a terminal (pid 5) works in /p", "only candidate"}},
		{name: "its folder is written with a slash at the end", rec: kimiRecord(inTurn, func(r *Record) { r.WorkDir = "/p/" }),
			clients: []locks.Client{here}, want: Yes, pids: []int{5}, via: ViaOnlyCandidate},
		{name: "a client in another folder", clients: []locks.Client{elsewhere}, want: No, evidence: []string{"no client process works in its folder"}},
		{name: "a client that started after the turn", clients: []locks.Client{client(5, "/p", late)}, want: No,
			evidence: []string{"(pid 5) works in /p, but started 2026-03-14T11:00:00Z, after the turn"}},
		{name: "a client that started within the error of start times", clients: []locks.Client{client(5, "/p", ago(2*time.Hour-startSlack))},
			want: Yes, pids: []int{5}, via: ViaOnlyCandidate},
		{name: "a client whose start is not known", clients: []locks.Client{client(5, "/p", time.Time{})}, want: Yes, pids: []int{5}, via: ViaOnlyCandidate},
		{name: "a turn whose begin is not known", rec: kimiRecord(inTurn, noTime), clients: []locks.Client{client(5, "/p", late)},
			want: Yes, pids: []int{5}, via: ViaOnlyCandidate},
		{name: "two clients in its folder are both named", clients: []locks.Client{here, client(8, "/p", early)}, want: Yes,
			pids: []int{5, 8}, via: ViaOneOf, evidence: []string{"(pid 5) works in /p", "(pid 8) works in /p"}},

		{name: "a server of the store", servers: []Server{server}, want: Yes, pids: []int{9}, via: ViaServer,
			evidence: []string{"Kimi server (port 58627) (pid 9) serves this store"}},
		{name: "a server that started after the turn", servers: []Server{{PID: 9, Name: "Kimi server", StartedAt: late}}, want: No,
			evidence: []string{"after the turn"}},
		{name: "a server and a client", servers: []Server{server}, clients: []locks.Client{here}, want: Yes, pids: []int{9, 5}, via: ViaOneOf},
		{name: "the server is among the clients", servers: []Server{server}, clients: []locks.Client{client(9, "/p", early)},
			want: Yes, pids: []int{9}, via: ViaServer},

		{name: "the witness lives", witness: witness, alive: locks.Live, clients: []locks.Client{here, client(7, "/p", early)},
			want: Yes, pids: []int{7}, via: ViaTempName, evidence: []string{"pid 7 wrote its state at 2026-03-14T10:00:00Z"}},
		{name: "the witness is dead", witness: witness, alive: locks.Dead, want: No,
			evidence: []string{"pid 7 wrote its state and is gone", "no client process"}},
		{name: "the witness is dead, another client is there", witness: witness, alive: locks.Dead, clients: []locks.Client{here},
			want: Yes, pids: []int{5}, via: ViaOnlyCandidate, evidence: []string{"pid 7 wrote its state and is gone"}},
		{name: "the witness is dead, its pid has been given to another client", witness: witness, alive: locks.Dead,
			clients: []locks.Client{client(7, "/p", late)}, want: No, evidence: []string{"is gone", "after the turn"}},
		{name: "B58: whether the witness lives cannot be seen", witness: witness, alive: locks.Unknown, want: Unknown,
			evidence: []string{"pid 7, which wrote its state, lives cannot be seen"}},
		{name: "B58: not even that, but a client is there", witness: witness, alive: locks.Unknown, clients: []locks.Client{here},
			want: Yes, pids: []int{5}, via: ViaOnlyCandidate},

		{name: "B58: a client whose folder cannot be seen", clients: []locks.Client{client(5, "", early)}, want: Unknown,
			evidence: []string{"(pid 5) runs, and whether it works in this session's folder cannot be seen"}},
		{name: "a client whose folder cannot be seen, but that started after the turn", clients: []locks.Client{client(5, "", late)}, want: No},
		{name: "B58: a session whose folder is not known", rec: kimiRecord(inTurn, noFolder), clients: []locks.Client{here}, want: Unknown},
		{name: "a session whose folder is not known, and no client", rec: kimiRecord(inTurn, noFolder), want: No},
		{name: "B58: processes cannot be listed", blind: true, want: Unknown, evidence: []string{"cannot be listed"}},
		{name: "processes cannot be listed, but a server is known", blind: true, servers: []Server{server}, want: Yes, pids: []int{9}, via: ViaServer},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rec, clients := tt.rec, tt.clients
			if rec == nil {
				rec = kimiRecord(inTurn)
			}
			if clients == nil && !tt.blind {
				clients = []locks.Client{}
			}
			got := findWriter(rec, tt.witness, tt.alive, clients, tt.servers)
			if got.Alive != tt.want || !slices.Equal(got.PIDs, tt.pids) {
				t.Fatalf("writer = %+v, want %v, pids %v", got, tt.want, tt.pids)
			}
			checkWriter(t, got, tt.via, tt.evidence)
		})
	}
}

// checkWriter checks who the writer is said to be, and the evidence for it in one piece.
func checkWriter(t *testing.T, got Writer, via Via, evidence []string) {
	t.Helper()
	said := got.Evidence
	switch h := got.Holder; {
	case (h != nil) != (got.Alive == Yes):
		t.Fatalf("holder = %+v, though alive is %v", h, got.Alive)
	case h == nil:
	case h.Via != via || h.Verdict != locks.Live:
		t.Errorf("holder via %s, %s; want %s, live", h.Via, h.Verdict, via)
	default:
		said = append(slices.Clone(said), h.Evidence...)
	}
	for _, part := range evidence {
		if !strings.Contains(strings.Join(said, "\n"), part) {
			t.Errorf("evidence = %q, want %q in it", said, part)
		}
	}
}

// TestWriterNames: one candidate is named, several are all named, and none of them as the one.
func TestWriterNames(t *testing.T) {
	early := ago(3 * time.Hour)
	one := findWriter(kimiRecord(inTurn), nil, "", []locks.Client{client(5, "/p", early)}, nil)
	if h := one.Holder; h.PID != 5 || h.Client != "Kimi in a terminal" || !h.StartedAt.Equal(early) {
		t.Errorf("one candidate: holder = %+v", h)
	}
	two := findWriter(kimiRecord(inTurn), nil, "", []locks.Client{client(5, "/p", early), client(8, "/p", early)}, nil)
	if h := two.Holder; h.PID != 0 || HolderName(h) != "one of Kimi in a terminal (pid 5), Kimi in a terminal (pid 8)" {
		t.Errorf("two candidates: holder = %+v, %q", h, HolderName(h))
	}
	seen := findWriter(kimiRecord(inTurn), &Witness{Identity: locks.Identity{PID: 7}}, locks.Live, []locks.Client{client(7, "/q", early)}, nil)
	if h := seen.Holder; h.PID != 7 || h.Client != "Kimi in a terminal" || !h.StartedAt.Equal(early) {
		t.Errorf("witness: holder = %+v", h)
	}
	stranger := findWriter(kimiRecord(inTurn), &Witness{Identity: locks.Identity{PID: 7}}, locks.Live, nil, nil)
	if got := HolderName(stranger.Holder); got != "a process (pid 7)" {
		t.Errorf("witness of no known client: %q", got)
	}
}
