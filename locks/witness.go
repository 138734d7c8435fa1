package locks

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"time"
)

// maxWitnesses bounds what is remembered; the oldest go first. A witness is of use only while its lock
// is there, and few are at a time.
const maxWitnesses = 256

// sighting names one hold of a lock: no other hold has the same token, and were one to have it, it would
// hardly have the same pid and the same millisecond too.
type sighting struct {
	Token     string `json:"token"`
	PID       int    `json:"pid"`
	StartedAt int64  `json:"started_at"` // of the lock, epoch milliseconds; 0 when it has none
	// Namespace is the one in which we looked the pid up: two services may share the file and not it.
	Namespace string `json:"pid_namespace,omitempty"`
}

// witness is the process that had the lock's pid at a moment when the lock was there already. Once that
// process has ended, so has the holder: either it was the holder, or the holder had ended before it.
type witness struct {
	sighting
	Start uint64 `json:"start"`
	// Holder reports that the process could be told to be the holder then. It still is while it lives.
	Holder bool      `json:"holder"`
	Seen   time.Time `json:"seen"`
}

// witnessBook keeps the witnesses of this boot.
type witnessBook struct {
	path    string        // of the file, "" to keep them in memory alone
	bootID  string        // of this boot
	changed chan struct{} // one slot: there is something to save

	mu    sync.Mutex
	known map[sighting]witness
}

func newWitnessBook(path, bootID string) *witnessBook {
	if bootID == "" {
		path = "" // nothing would tell when the witnesses are of another boot
	}
	return &witnessBook{path: path, bootID: bootID, changed: make(chan struct{}, 1), known: map[sighting]witness{}}
}

// Option changes what a [System] does beside looking.
type Option func(*System)

// WithWitnesses lets a System know the witnesses in the file at path, in a folder of ours, and keep new
// ones there while [System.SaveWitnesses] runs. A file that is missing, damaged or of another boot counts
// as empty. Without this option witnesses last as long as the System.
func WithWitnesses(path string) Option {
	return func(s *System) {
		s.witnesses = newWitnessBook(path, s.fixed.BootID)
		s.witnesses.load()
	}
}

// Witness remembers which process has the pid of f's holder, as proof for later judgements (rule 9). To
// be called whenever a lock was read; it does not wait for anything, costs a look into a map for a hold
// that is known and some ten microseconds for another, and ignores locks about which this host cannot
// testify: those of other hosts and namespaces, broken ones, and those whose pid is free. Of a holder that
// is dead already it keeps the proof, which may be weaker when another process has the pid.
func (s *System) Witness(f *File) {
	k, ok := s.sighting(f)
	if !ok || s.witnesses.knows(k) {
		return
	}
	now := time.Now()
	p := processFacts(k.PID, s.clock.boot())
	if w, ok := testify(k, Judge(f, s.Host(), p, now), &p); ok {
		w.Seen = now.Round(0)
		s.witnesses.add(w)
	}
}

// sighting returns the key of f's hold, false when no witness is possible or needed: a lock that has our
// own fields says itself which process took it.
func (s *System) sighting(f *File) (sighting, bool) {
	r := &f.Record
	if f.Problem != "" || r.Token == "" || r.ProcessStart != 0 || !usablePID(r.PID) || s.blind() {
		return sighting{}, false
	}
	k := sighting{Token: r.Token, PID: r.PID, Namespace: s.fixed.PIDNamespace}
	if !r.StartedAt.IsZero() {
		k.StartedAt = r.StartedAt.UnixMilli()
	}
	return k, true
}

// testify decides what can be said of the process that has a lock's pid now. Where only the clock or the
// owner keeps the judgement from being live, the process may be another than the holder, but its end still
// proves the holder's.
func testify(k sighting, j Judgement, p *ProcessFacts) (witness, bool) {
	w := witness{sighting: k, Start: p.Start, Holder: j.Verdict == Live}
	inDoubt := j.Reason == ReasonClock || j.Reason == ReasonNoTime || j.Reason == ReasonForeignClient
	return w, (j.Verdict != Unknown || inDoubt) && p.State == Running && p.Start != 0
}

// addWitness adds what is remembered of f's hold to the facts about its pid.
func (s *System) addWitness(p *ProcessFacts, f *File) {
	k, ok := s.sighting(f)
	if !ok {
		return
	}
	s.witnesses.mu.Lock()
	defer s.witnesses.mu.Unlock()
	w := s.witnesses.known[k]
	p.Witnessed, p.WitnessedHolder = w.Start, w.Holder
}

func (b *witnessBook) knows(k sighting) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, known := b.known[k]
	return known
}

func (b *witnessBook) add(w witness) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.known[w.sighting] = w
	b.trim()
	select {
	case b.changed <- struct{}{}:
	default: // to be saved anyway
	}
}

// trim drops the oldest beyond the bound.
func (b *witnessBook) trim() {
	for len(b.known) > maxWitnesses {
		delete(b.known, b.oldest())
	}
}

func (b *witnessBook) oldest() sighting {
	var oldest witness
	for _, w := range b.known {
		if oldest.Seen.IsZero() || w.Seen.Before(oldest.Seen) {
			oldest = w
		}
	}
	return oldest.sighting
}

// sorted returns the witnesses, the newest first.
func (b *witnessBook) sorted() []witness {
	all := make([]witness, 0, len(b.known))
	for _, w := range b.known {
		all = append(all, w)
	}
	slices.SortFunc(all, func(v, w witness) int { return w.Seen.Compare(v.Seen) })
	return all
}

// merge takes over what another service or an earlier run saw; what is known here stays.
func (b *witnessBook) merge(others []witness) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, w := range others {
		if _, known := b.known[w.sighting]; !known {
			b.known[w.sighting] = w
		}
	}
	b.trim()
}

// snapshot returns the witnesses to be saved.
func (b *witnessBook) snapshot() []witness {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.sorted()
}

// saveDelay merges the witnesses of a burst into one save.
const saveDelay = 200 * time.Millisecond

// SaveWitnesses keeps the file of [WithWitnesses] up to date until ctx ends, and then saves once more. It
// returns nil; a save that does not succeed is told to failed, which may be nil, and is made up for by the
// next. Without a file it only waits for ctx. Nothing wakes up while no new lock is seen.
func (s *System) SaveWitnesses(ctx context.Context, failed func(error)) error {
	b := s.witnesses
	save := func() {
		if err := b.save(); err != nil && failed != nil {
			failed(err)
		}
	}
	for {
		select {
		case <-ctx.Done():
			if len(b.changed) > 0 {
				save()
			}
			return nil
		case <-b.changed:
			pause(ctx, saveDelay)
			save()
		}
	}
}

// pause waits for d, or until ctx ends, and says which by ctx's cause.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

// load reads the file without touching it.
func (b *witnessBook) load() {
	if b.path == "" {
		return
	}
	if content, err := readOwn(b.path); err == nil {
		all, _ := parseWitnesses(content, b.bootID) // the next save keeps a damaged file aside
		b.merge(all)
	}
}

// save writes what the file and the memory know. The guard keeps another service from saving between our
// reading and our writing; where the file system has none, a witness may get lost, and no file is torn.
func (b *witnessBook) save() (err error) {
	if b.path == "" {
		return nil
	}
	release, err := guardFile(b.path + ".lock")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	if err := b.mergeFile(); err != nil {
		return err
	}
	return replaceOwn(b.path, formatWitnesses(b.snapshot(), b.bootID))
}

// guardWait is how long a save waits for another service's.
const guardWait = 5 * time.Second

func guardFile(path string) (release func() error, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), guardWait)
	defer cancel()
	release, err = Hold(ctx, path)
	if errors.Is(err, ErrNotSupported) {
		return func() error { return nil }, nil
	}
	return release, err
}

// mergeFile takes over what is in the file. A damaged one is kept aside, in the place of an earlier one.
func (b *witnessBook) mergeFile() error {
	content, err := readOwn(b.path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	all, ok := parseWitnesses(content, b.bootID)
	if !ok {
		return os.Rename(b.path, b.path+".bad")
	}
	b.merge(all)
	return nil
}
