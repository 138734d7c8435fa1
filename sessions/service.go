package sessions

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"berth/locks"
	"berth/watcher"
)

// Service is the verbs: what a person or a script can do with a Session. It works on what the disk says at
// that moment, not on what the Index remembers, and after a write it asks the Index to look again; it never
// changes the Index itself. It may be used from any goroutine while the Index runs.
type Service struct {
	Index  *Index
	Prober Prober
	// Clients says how to resume a note, by its client or agent: see ClientCommand.
	Clients map[string]ClientCommand
	// ProjectDir returns the folder of a project, or "" when it is not known.
	ProjectDir func(project string) string
	// Coverage says how each store is watched; nil when nothing is watched.
	Coverage func() []watcher.RootStatus
	// Stopper ends processes when a person asks.
	Stopper Stopper
	// Reclaimer removes dead locks; nil when that is switched off.
	Reclaimer Reclaimer
	// Audit keeps what was done; nil keeps nothing.
	Audit func(Action) error
	// Images keeps what files were before an edit; nil keeps nothing, and nothing can be undone.
	Images Images
}

// Find returns the Session that ref names, freshly read. Errors as [Snapshot.Find], and ErrStale when its place on
// disk has just been taken by another Session (bug B40).
func (s *Service) Find(ctx context.Context, ref string) (*Session, error) {
	found, err := s.Index.Snapshot().Find(ref)
	if err != nil {
		return nil, err
	}
	fresh, err := s.Index.Refresh(ctx, found)
	if err != nil {
		return nil, err
	}
	if foldID(fresh.ID) != foldID(found.ID) {
		return nil, &Error{Err: ErrStale, Session: ref,
			Detail: fmt.Sprintf("%s has just become another session: its id is %q, and was %q", found.Path, fresh.ID, found.ID),
			Hint:   "look at the list again, then name the session by its whole id"}
	}
	return fresh, nil
}

// Close ends a work session, or with dryRun only says what it would write.
func (s *Service) Close(ctx context.Context, ref, summary string, dryRun bool) (*Edit, error) {
	row, err := s.Find(ctx, ref)
	if err != nil {
		return nil, err
	}
	closer, ok := s.source(row).(Closer)
	if !ok {
		return nil, &Error{Err: ErrNotCapable, Session: row.Name(),
			Detail: "a " + row.Source + " session is not closed by berth",
			Hint:   "end it in its own client; berth closes work sessions of a vault"}
	}
	if err := s.unique(row); err != nil {
		return nil, err
	}
	r := CloseRequest{Summary: summary, Now: time.Now(), ID: row.ID}
	return s.edit(ctx, row, ActionClosed, dryRun,
		func() (*Edit, error) { return closer.PlanClose(row.Key, r) },
		func() (*Edit, error) { return closer.CloseSession(ctx, row.Key, r) })
}

// Mark records in a note that it was resumed.
func (s *Service) Mark(ctx context.Context, ref string, dryRun bool) (*Edit, error) {
	row, err := s.Find(ctx, ref)
	if err != nil {
		return nil, err
	}
	marker, ok := s.source(row).(Marker)
	if !ok {
		return nil, &Error{Err: ErrNotCapable, Session: row.Name(),
			Detail: "a " + row.Source + " session has no resume marker",
			Hint:   "berth resume " + row.ID + " opens it in its client"}
	}
	if err := s.unique(row); err != nil {
		return nil, err
	}
	r := MarkRequest{Now: time.Now(), ID: row.ID}
	return s.edit(ctx, row, ActionMarked, dryRun,
		func() (*Edit, error) { return marker.PlanMark(row.Key, r) },
		func() (*Edit, error) { return marker.MarkResumed(ctx, row.Key, r) })
}

// edit plans or writes, keeps the bytes from before and a line in the audit trail, and makes the Index look at the result.
func (s *Service) edit(ctx context.Context, row *Session, kind ActionKind, dryRun bool, plan, write func() (*Edit, error)) (*Edit, error) {
	if dryRun {
		return plan()
	}
	kept, err := s.keepPlan(row, kind, plan)
	if err != nil {
		return nil, err
	}
	end, err := s.Index.writing(ctx, row)
	if err != nil {
		return nil, errors.Join(err, kept.drop())
	}
	done, err := write()
	rerr := end(done)
	if err != nil || done == nil {
		return done, errors.Join(err, kept.drop())
	}
	kept.done(done)
	aerr := s.audit(Action{ID: kept.img.Action, Kind: kind, Session: row.ID, Source: row.Source, Path: done.Path, Detail: done.Message})
	for _, err := range []error{rerr, aerr} {
		if err != nil { // it is written all the same
			done.Warnings = append(done.Warnings, err.Error())
		}
	}
	return done, nil
}

func (s *Service) audit(a Action) error {
	if s.Audit == nil {
		return nil
	}
	return s.Audit(a)
}

// unique refuses to act on an id that several Sessions of a store carry: acting on one of them would be a guess.
func (s *Service) unique(row *Session) error {
	if !row.Has(FactDuplicateID) {
		return nil
	}
	copies := s.Index.Snapshot().Sorted(func(o *Session) bool {
		return o.Root == row.Root && foldID(o.ID) == foldID(row.ID)
	})
	return &Error{Err: ErrAmbiguous, Session: row.ID, Detail: "more than one session carries this id",
		Hint: "give one of the copies an id of its own, then try again", Candidates: copies}
}

func (s *Service) source(row *Session) Source {
	if st := s.Index.storeAt(row.Root); st != nil {
		return st.src
	}
	return nil
}

// ClientCommand says how a client is started on a note.
type ClientCommand struct {
	// Argv is the program and its arguments; {prompt} is replaced by a first prompt that names the
	// session, {id} by its id.
	Argv []string `yaml:"command" json:"command"`
}

// DefaultClients are the commands of well-known clients, by agent name.
func DefaultClients() map[string]ClientCommand {
	return map[string]ClientCommand{
		"claude":  {Argv: []string{"claude", "{prompt}"}},
		"codex":   {Argv: []string{"codex", "{prompt}"}},
		"gemini":  {Argv: []string{"gemini", "-i", "{prompt}"}},
		"copilot": {Argv: []string{"copilot", "-i", "{prompt}"}},
		"kimi":    {Argv: []string{"kimi"}},
	}
}

// Launch is a checked way to resume a Session: what to run, and where.
type Launch struct {
	SessionID string   `json:"session_id"`
	Title     string   `json:"title"`
	Dir       string   `json:"dir"`
	Argv      []string `json:"argv"`
	Env       []string `json:"env,omitempty"` // NAME=value, beside the environment of the terminal
	Warnings  []string `json:"warnings,omitempty"`
}

// CheckClient makes sure that the client can be started. look finds programs, as exec.LookPath does; it is the
// caller's, since the service may have another PATH than the terminal that the caller opens.
func (l *Launch) CheckClient(look func(string) (string, error)) error {
	if _, err := look(l.Argv[0]); err != nil {
		return &Error{Err: ErrRefused, Session: l.Title, Detail: fmt.Sprintf("the client %q is not found on PATH", l.Argv[0]),
			Hint: "install it, or set its command under clients: in the configuration"}
	}
	return nil
}

// PlanResume checks that a Session can be resumed now and says how. It starts and writes nothing. dir overrides
// the folder of a note's project. Errors: ErrOccupied names the holder; ErrRefused says what is missing.
func (s *Service) PlanResume(ctx context.Context, ref, dir string) (*Launch, error) {
	row, err := s.Find(ctx, ref)
	if err != nil {
		return nil, err
	}
	if err := s.resumable(row); err != nil {
		return nil, err
	}
	l := &Launch{SessionID: row.ID, Title: row.Name(), Warnings: resumeWarnings(row)}
	if row.Source == "kimi" {
		l.Dir, l.Argv, l.Env = row.WorkDir, []string{"kimi", "-S", row.ID}, []string{"KIMI_CODE_HOME=" + row.Root}
	} else if err := s.planNote(row, dir, l); err != nil {
		return nil, err
	}
	if err := s.checkLaunch(row, l); err != nil {
		return nil, err
	}
	return l, nil
}

// resumable says why row cannot be resumed as it is, or nil.
func (s *Service) resumable(row *Session) error {
	if err := s.unique(row); err != nil {
		return err
	}
	switch {
	case row.Holder != nil && row.Holder.Verdict != locks.Dead: // also of an archived session
		return occupied(row)
	case row.Status == Closed:
		return &Error{Err: ErrClosed, Session: row.Name(), Detail: "its status is " + row.StatusWord,
			Hint: "start a new session and name this one as its parent"}
	case strings.HasPrefix(row.ID, "-"):
		return &Error{Err: ErrRefused, Session: row.Path, Detail: "its id would be read as an option: " + row.ID}
	}
	return nil
}

// planNote fills l for a note: the command of its client, the folder of its project.
func (s *Service) planNote(row *Session, dir string, l *Launch) error {
	if row.ID == "" {
		return &Error{Err: ErrRefused, Session: row.Path, Detail: "the note has no session_id, so no client can resume it",
			Hint: "close it, and start a new session"}
	}
	cmd, ok := s.clientCommand(row)
	if !ok {
		return &Error{Err: ErrRefused, Session: row.Name(),
			Detail: fmt.Sprintf("no command is known for client %q, agent %q", row.ClientName, row.Agent),
			Hint:   "add it under clients: in the configuration"}
	}
	if dir == "" && s.ProjectDir != nil {
		dir = s.ProjectDir(row.Project)
	}
	if dir == "" {
		return &Error{Err: ErrNoFolder, Session: row.Name(),
			Detail: fmt.Sprintf("the folder of project %q is not known", row.Project),
			Hint:   "say it once with --dir FOLDER; berth remembers it"}
	}
	prompt := fmt.Sprintf("Resume work session %s: call start_work_session with session_id %q, then go on.", row.ID, row.ID)
	fill := strings.NewReplacer("{prompt}", prompt, "{id}", row.ID)
	l.Dir = dir
	for _, a := range cmd.Argv {
		l.Argv = append(l.Argv, fill.Replace(a))
	}
	return nil
}

// clientCommand looks a note's client up by its name, then by its agent.
func (s *Service) clientCommand(row *Session) (ClientCommand, bool) {
	for _, name := range []string{row.ClientName, row.Agent} {
		if c, ok := s.Clients[strings.ToLower(name)]; ok && name != "" && len(c.Argv) > 0 {
			return c, true
		}
	}
	return ClientCommand{}, false
}

// checkLaunch makes sure that the folder is there. It never falls back to another folder
// (bug B155): a client started in the wrong place works on the wrong project.
func (s *Service) checkLaunch(row *Session, l *Launch) error {
	if l.Dir == "" {
		return &Error{Err: ErrRefused, Session: row.Name(), Detail: "its work folder is not known",
			Hint: "start the client in the right folder yourself"}
	}
	if !filepath.IsAbs(l.Dir) {
		// The service's own folder is not the one that the caller means.
		return &Error{Err: ErrRefused, Session: row.Name(), Detail: "its work folder is not an absolute path: " + l.Dir}
	}
	if info, err := os.Stat(l.Dir); err != nil || !info.IsDir() {
		return &Error{Err: ErrRefused, Session: row.Name(), Detail: "its work folder is not there: " + l.Dir,
			Hint: "create or mount the folder, then try again"}
	}
	return nil
}

func occupied(row *Session) error {
	return &Error{Err: ErrOccupied, Session: row.Name(), Detail: "it is occupied by " + HolderName(row.Holder),
		Hint: "a second writer would damage its history; end the first one, or look at it with berth show"}
}

// HolderName says who a Holder is, in words.
func HolderName(h *Holder) string {
	name := h.Client
	switch {
	case h.PID != 0:
		name = processName(name, h.PID, h.Where)
	case name == "":
		name = "a process"
	}
	if h.Hostname != "" && h.Verdict == locks.Unknown {
		name += " on " + h.Hostname
	}
	return name
}

func resumeWarnings(row *Session) []string {
	var w []string
	if row.Status == Archived {
		w = append(w, "the session is archived and stays archived")
	}
	if row.Record.Work.Busy == Yes && row.Work.Busy == Unknown {
		w = append(w, "its last turn has not ended, and whether its writer lives cannot be seen")
	}
	if row.Has(FactTwoWriters) {
		w = append(w, "two writers have written this session; its history may be mixed up")
	}
	if row.Has(FactDamaged) {
		w = append(w, "the session is damaged; the client drops what stands after the damage: "+strings.Join(row.Problems, "; "))
	}
	if slices.Contains(row.Reasons, ReasonDeadLock) {
		w = append(w, "a dead holder's lock is still there; the client may report the session as occupied once")
	}
	return w
}
