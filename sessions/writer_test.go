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

// writerOf is the client with this pid, that a temp file's name gave away when the turn of inTurn began.
func writerOf(pid int) *author {
	return &author{
		Party:  Party{Identity: locks.Identity{BootID: "b", PID: pid, Start: uint64(pid)}, Certainty: Proven},
		client: "Kimi in a terminal", where: "pts/2", via: ViaTempName, why: namedBy(pid, ago(2*time.Hour)),
	}
}

// TestFindWriter says who may be behind a turn that began two hours ago in /p.
func TestFindWriter(t *testing.T) {
	early, late := ago(3*time.Hour), ago(time.Hour)
	witness := writerOf(7)
	server := Server{PID: 9, Name: "Kimi server", Where: "port 58627", StartedAt: early}
	here, elsewhere := client(5, "/p", early), client(6, "/q", early)
	noFolder := func(r *Record) { r.WorkDir = "" }
	noTime := func(r *Record) { r.TurnSince = time.Time{} }

	tests := []struct {
		name     string
		rec      *Record
		witness  *author
		alive    locks.Verdict // of the witness
		clients  []locks.Client
		census   census
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
			evidence: []string{"Kimi server (pid 9, port 58627) serves this store"}},
		{name: "a server that started after the turn", servers: []Server{{PID: 9, Name: "Kimi server", StartedAt: late}}, want: No,
			evidence: []string{"after the turn"}},
		{name: "a server and a client", servers: []Server{server}, clients: []locks.Client{here}, want: Yes, pids: []int{9, 5}, via: ViaOneOf},
		{name: "the server is among the clients", servers: []Server{server}, clients: []locks.Client{client(9, "/p", early)},
			want: Yes, pids: []int{9}, via: ViaServer},

		{name: "the witness lives", witness: witness, alive: locks.Live, clients: []locks.Client{here, client(7, "/p", early)},
			want: Yes, pids: []int{7}, via: ViaTempName, evidence: []string{"pid 7 wrote its state at 2026-03-14T10:00:00Z"}},
		{name: "the witness is dead", witness: witness, alive: locks.Dead, want: No,
			evidence: []string{"pid 7 wrote its state", "pid 7 is gone", "no client process"}},
		{name: "the witness is dead, another client is there", witness: witness, alive: locks.Dead, clients: []locks.Client{here},
			want: Yes, pids: []int{5}, via: ViaOnlyCandidate, evidence: []string{"pid 7 wrote its state", "pid 7 is gone"}},
		{name: "the witness is dead, its pid has been given to another client", witness: witness, alive: locks.Dead,
			clients: []locks.Client{client(7, "/p", late)}, want: No, evidence: []string{"pid 7 is gone", "after the turn"}},
		{name: "B58: whether the witness lives cannot be seen", witness: witness, alive: locks.Unknown, want: Unknown,
			evidence: []string{"whether pid 7 lives cannot be seen"}},
		{name: "B58: not even that, but a client is there", witness: witness, alive: locks.Unknown, clients: []locks.Client{here},
			want: Yes, pids: []int{5}, via: ViaOnlyCandidate},

		{name: "B58: a client whose folder cannot be seen", clients: []locks.Client{client(5, "", early)}, want: Unknown,
			evidence: []string{"(pid 5) runs, and whether it works in this session's folder cannot be seen"}},
		{name: "a client whose folder cannot be seen, but that started after the turn", clients: []locks.Client{client(5, "", late)}, want: No},
		{name: "B58: a session whose folder is not known", rec: kimiRecord(inTurn, noFolder), clients: []locks.Client{here}, want: Unknown},
		{name: "a session whose folder is not known, and no client", rec: kimiRecord(inTurn, noFolder), want: No},
		{name: "B58: processes cannot be listed", census: impossible, want: Unknown, evidence: []string{"cannot be listed"}},
		{name: "processes cannot be listed, but a server is known", census: impossible, servers: []Server{server}, want: Yes, pids: []int{9}, via: ViaServer},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rec := tt.rec
			if rec == nil {
				rec = kimiRecord(inTurn)
			}
			got := findWriter(inquiry{
				rec: rec, last: tt.witness, alive: tt.alive, clients: tt.clients, census: tt.census, servers: tt.servers,
			})
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

// TestFindWriterOfTurns: the author of an open turn has it for good; other clients come into question for other
// turns only.
func TestFindWriterOfTurns(t *testing.T) {
	early := ago(3 * time.Hour)
	two, three := writerOf(2), writerOf(3)
	here := client(5, "/p", early)
	owned := func(by *author, alive locks.Verdict) turnOwner {
		return turnOwner{begun: ago(2 * time.Hour), by: by, alive: alive}
	}
	tests := []struct {
		name     string
		turns    []turnOwner
		last     *author
		clients  []locks.Client
		census   census
		want     Tri
		pid      int
		proven   bool
		evidence []string
	}{
		{name: "its author lives", turns: []turnOwner{owned(two, locks.Live)}, want: Yes, pid: 2, proven: true, evidence: []string{"pid 2 wrote its state", "pid 2 lives"}},
		{name: "its author is dead, another client works in the folder", turns: []turnOwner{owned(two, locks.Dead)},
			clients: []locks.Client{here}, want: No, evidence: []string{"pid 2 is gone"}},
		{name: "and that client wrote in it last", turns: []turnOwner{owned(two, locks.Dead)}, last: writerOf(5),
			clients: []locks.Client{here}, want: No},
		{name: "B58: whether its author lives cannot be seen", turns: []turnOwner{owned(two, locks.Unknown)}, want: Unknown},
		{name: "two turns, the authors of both live", turns: []turnOwner{owned(two, locks.Live), owned(three, locks.Live)}, want: Yes, pid: 3, proven: true},
		{name: "two turns, the author of the newer is dead", turns: []turnOwner{owned(two, locks.Live), owned(three, locks.Dead)}, want: Yes, pid: 2, proven: true},
		{name: "two turns, the authors of both are dead", turns: []turnOwner{owned(two, locks.Dead), owned(three, locks.Dead)},
			clients: []locks.Client{here}, want: No, evidence: []string{"pid 2 is gone", "pid 3 is gone"}},
		{name: "two turns, one without an author", turns: []turnOwner{owned(two, locks.Dead), owned(nil, "")},
			clients: []locks.Client{here}, want: Yes, pid: 5, evidence: []string{"works in /p"}},
		{name: "two turns, the newer without an author", turns: []turnOwner{owned(two, locks.Live), owned(nil, "")}, want: Yes, pid: 2, proven: true,
			evidence: []string{"another turn, begun 2026-03-14T10:00:00Z, has an author that is not proven"}},
		{name: "a turn without an author, another process wrote last", turns: []turnOwner{owned(nil, "")}, last: two,
			clients: []locks.Client{here}, want: Yes, pid: 5},
		{name: "nobody has looked at the processes since", turns: []turnOwner{owned(nil, "")}, census: outdated, want: Unknown,
			evidence: []string{"have not been looked through since"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := findWriter(inquiry{
				rec: kimiRecord(inTurn), turns: tt.turns, last: tt.last, alive: locks.Live, clients: tt.clients, census: tt.census,
			})
			if got.Alive != tt.want {
				t.Fatalf("alive = %v, want %v: %+v", got.Alive, tt.want, got)
			}
			via := ViaOnlyCandidate
			if tt.proven {
				via = ViaTempName
			}
			checkWriter(t, got, via, tt.evidence)
			if h := got.Holder; h != nil && (h.PID != tt.pid || (h.Certainty == Proven) != tt.proven) {
				t.Errorf("holder = %+v, want pid %d, proven %v", h, tt.pid, tt.proven)
			}
		})
	}
}

// TestWriterNames: one candidate is named, several are all named, and none of them as the one.
func TestWriterNames(t *testing.T) {
	early := ago(3 * time.Hour)
	of := func(last *author, clients ...locks.Client) *Holder {
		return findWriter(inquiry{rec: kimiRecord(inTurn), last: last, alive: locks.Live, clients: clients}).Holder
	}
	if h := of(nil, client(5, "/p", early)); h.PID != 5 || h.Client != "Kimi in a terminal" || h.Certainty != Likely || !h.StartedAt.Equal(early) {
		t.Errorf("one candidate: holder = %+v", h)
	}
	if h := of(nil, client(5, "/p", early), client(8, "/p", early)); h.PID != 0 || h.Certainty != OneOf ||
		HolderName(h) != "one of Kimi in a terminal (pid 5), Kimi in a terminal (pid 8)" {
		t.Errorf("two candidates: holder = %+v, %q", h, HolderName(h))
	}
	if h := of(writerOf(7), client(7, "/q", early)); HolderName(h) != "Kimi in a terminal (pid 7, pts/2)" || h.Certainty != Proven || !h.StartedAt.Equal(early) {
		t.Errorf("witness: holder = %+v", h)
	}
	stranger := &author{Party: Party{Identity: locks.Identity{PID: 7}}}
	if got := HolderName(of(stranger)); got != "a process (pid 7)" {
		t.Errorf("witness of no known client: %q", got)
	}
}
