package kimi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"berth/locks"
	"berth/sessions"

	"github.com/google/uuid"
)

var _ sessions.Forker = (*Source)(nil)

// PlanFork says what ForkSession would make.
func (s *Source) PlanFork(ctx context.Context, key string, f sessions.Forking) (*sessions.Fork, error) {
	o, server, err := s.origin(ctx, key, f)
	if err != nil {
		return nil, err
	}
	if server != nil {
		if !f.UseServer {
			return nil, askServer(f.ID, *server)
		}
		o.plan.SessionID, o.plan.Path, o.plan.By = "", "", nameOf(*server)
	}
	return &o.plan, nil
}

// ForkSession copies a session as the client does: every file but state.json, logs, upcoming-goals.json and links; a record
// "forked" at the end of every journal; metadata of its own; then a line in the index. A running server of the home does it
// itself. Without one it is done under the lock of the origin, in a folder beside the buckets that no client looks into, and
// put in its place whole.
func (s *Source) ForkSession(ctx context.Context, key string, f sessions.Forking) (*sessions.Fork, error) {
	o, server, err := s.origin(ctx, key, f)
	switch {
	case err != nil:
		return nil, err
	case server == nil:
		return s.forkHere(ctx, o)
	case !f.UseServer:
		return nil, askServer(o.id, *server)
	}
	return s.forkThere(ctx, *server, o)
}

// origin is the session that is to be forked, and what the fork will be.
type origin struct {
	*document
	forking sessions.Forking
	plan    sessions.Fork
	forkKey string
	files   []string
	state   []byte // the fork's metadata
}

// origin reads the session and plans its fork. The server is the one that has to do it, nil when there is none.
func (s *Source) origin(ctx context.Context, key string, f sessions.Forking) (*origin, *sessions.Server, error) {
	if s.census == nil {
		return nil, nil, refusal(sessions.ErrNotCapable, f.ID, "this home is only read")
	}
	d, err := s.document(key, f.ID)
	if err != nil {
		return nil, nil, err
	}
	if err := s.forkable(d, f); err != nil {
		return nil, nil, err
	}
	o := &origin{document: d, forking: f}
	if err := o.design(s); err != nil {
		return nil, nil, err
	}
	c, err := s.crewOf(ctx, d)
	if err != nil {
		return nil, nil, err
	}
	c.others = nil // the origin is only read
	server, err := c.alone(d)
	return o, server, err
}

// forkable says why a copy of d would not be a whole session, or nil.
func (s *Source) forkable(d *document, f sessions.Forking) error {
	rec, err := s.Load(d.key, f.Now)
	switch {
	case err != nil:
		return &sessions.Error{Err: sessions.ErrNotFound, Session: d.id, Detail: err.Error()}
	case d.meta.version != 2 || filepath.Base(filepath.Dir(d.path)) != d.id:
		return refusal(sessions.ErrRefused, d.id, "it was written by an older client; open it once with a newer one, which converts it")
	case slices.Contains(rec.Facts, sessions.FactDamaged) || !rec.Settle.IsZero():
		return refusal(sessions.ErrRefused, d.id, "it is damaged, or being written: %s", strings.Join(rec.Problems, "; "))
	}
	return nil
}

// design decides everything about the fork.
func (o *origin) design(s *Source) (err error) {
	id, err := uuid.NewRandom()
	if err != nil {
		return err
	}
	o.plan = sessions.Fork{SessionID: "session_" + id.String(), ForkedFrom: o.id}
	o.forkKey = o.key[:strings.LastIndexByte(o.key, '/')+1] + o.plan.SessionID
	o.plan.Path = s.path(o.forkKey)
	if o.files, err = filesToFork(filepath.Dir(o.path)); err != nil {
		return fmt.Errorf("fork %s: %w", o.id, err)
	}
	o.plan.Files = len(o.files)
	o.plan.Title = clip("Fork: "+firstOf(o.meta.name(), o.id), maxTitle)
	custom := o.forking.Title != ""
	if custom {
		if o.plan.Title, err = o.title(o.forking.Title); err != nil {
			return err
		}
	}
	o.state, err = o.metadata(custom)
	return err
}

// filesToFork lists what is copied, relative to the session's folder, slash-separated.
func filesToFork(dir string) ([]string, error) {
	var files []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(rel string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case rel == "logs" && e.IsDir():
			return fs.SkipDir
		case rel == stateName, rel == "upcoming-goals.json", strings.HasPrefix(rel, stateName+".tmp."), !e.Type().IsRegular():
			return nil
		}
		files = append(files, rel)
		return nil
	})
	return files, err
}

// metadata is the origin's with what makes the fork another session.
func (o *origin) metadata(custom bool) ([]byte, error) {
	kind, isCustom := "replaceable", "false"
	if custom {
		kind, isCustom = "custom", "true"
	}
	changes := []change{
		{"id", json.RawMessage(jsonText(o.plan.SessionID))}, {"archived", json.RawMessage("false")}, {"archivedAt", nil},
		{"title", json.RawMessage(jsonText(o.plan.Title))}, {"titleKind", json.RawMessage(jsonText(kind))},
		{"isCustomTitle", json.RawMessage(isCustom)}, {"forkedFrom", json.RawMessage(jsonText(o.id))}, {"createdAt", millis(o.forking.Now)},
	}
	ms, _ := membersOf(o.raw)
	ok := true
	if i := find(ms, "custom"); i >= 0 {
		if custom, is := splice(bytesOf(o.raw, ms[i]), []change{{"goal", nil}}); is {
			changes = append(changes, change{"custom", custom})
		}
	}
	if i := find(ms, "agents"); i >= 0 {
		var agents []byte
		agents, ok = rehomed(bytesOf(o.raw, ms[i]), o.plan.Path)
		changes = append(changes, change{"agents", agents})
	}
	state, spliced := splice(o.raw, changes)
	if !ok || !spliced || !sameBut(o.raw, state, changes) {
		return nil, refusal(sessions.ErrBadState, o.id, "%s has agents or members that cannot be carried over", o.path)
	}
	return state, nil
}

func members(b []byte) []member {
	ms, _ := membersOf(b)
	return ms
}

// bytesOf returns the value of m as text of its own.
func bytesOf(b []byte, m member) []byte { return slices.Clone(b[m.value:m.end]) }

// rehomed puts the folders of the agents below dir.
func rehomed(agents []byte, dir string) ([]byte, bool) {
	ms, ok := membersOf(agents)
	for _, m := range ms {
		if _, err := locks.FileName(m.key); err != nil { // it is no name of a folder
			return nil, false
		}
		now := members(agents)
		i := find(now, m.key)
		home := filepath.Join(dir, agentsName, m.key)
		agent, is := splice(bytesOf(agents, now[i]), []change{{"homedir", json.RawMessage(jsonText(home))}})
		if !is {
			return nil, false
		}
		agents = replaced(agents, now[i].value, now[i].end, string(agent))
	}
	return agents, ok
}

// forkHere makes the fork under the lock of its origin.
func (s *Source) forkHere(ctx context.Context, o *origin) (*sessions.Fork, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	lease, err := locks.Take(ctx, locks.TakeConfig{
		Dir: s.path(locksRel), SessionID: o.id, System: s.system, Client: locks.ClientIdentity{ProductName: "berth"},
	})
	if err != nil {
		return nil, notTaken(o.id, err)
	}
	staging := s.path(sessionsRel + "/.fork-" + o.plan.SessionID)
	err = s.build(ctx, lease, o, staging)
	err = errors.Join(err, os.RemoveAll(staging)) // ours; nothing is there when all went well
	if rerr := lease.Release(); rerr != nil {
		o.plan.Warnings = append(o.plan.Warnings, rerr.Error())
	}
	if err != nil {
		return nil, notWritten(o.document, err)
	}
	return s.enter(o)
}

// build makes the fork in staging, and puts it in its place when nobody wrote in the origin meanwhile.
func (s *Source) build(ctx context.Context, lease *locks.Lease, o *origin, staging string) error {
	if err := os.Mkdir(staging, 0o700); err != nil {
		return err
	}
	from, err := os.OpenRoot(filepath.Dir(o.path))
	if err != nil {
		return err
	}
	defer from.Close() // it was only read
	for _, rel := range o.files {
		if err := errors.Join(context.Cause(ctx), o.copy(from, staging, rel)); err != nil {
			return err
		}
	}
	if err := writeNew(filepath.Join(staging, stateName), 0o600, strings.NewReader(string(o.state))); err != nil {
		return err
	}
	if err := errors.Join(lease.Verify(), s.still(o.document)); err != nil {
		return err
	}
	return os.Rename(staging, o.plan.Path)
}

// copy copies one file, and ends a journal with the record of the fork.
func (o *origin) copy(from *os.Root, staging, rel string) error {
	f, err := from.Open(filepath.FromSlash(rel))
	if err != nil {
		return err
	}
	defer f.Close() // it was only read
	info, err := f.Stat()
	if err != nil {
		return err
	}
	to := filepath.Join(staging, filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	content := io.Reader(f)
	if parts := strings.Split(rel, "/"); len(parts) == 3 && parts[0] == agentsName && parts[2] == wireName {
		record := fmt.Sprintf(`{"type":"forked","agentId":%s,"time":%s}`+"\n", jsonText(parts[1]), millis(o.forking.Now))
		content = io.MultiReader(f, strings.NewReader(record))
	}
	return writeNew(to, info.Mode().Perm(), content)
}

// writeNew writes a file that is not there yet, durably.
func writeNew(path string, mode fs.FileMode, content io.Reader) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// enter makes the fork known to clients, which find it without, only later.
func (s *Source) enter(o *origin) (*sessions.Fork, error) {
	rec, err := s.Load(o.forkKey, o.forking.Now)
	if err != nil {
		return nil, fmt.Errorf("read back the fork: %w", err)
	}
	line := indexEntryOf(o.plan.SessionID, o.plan.Path, rec.WorkDir)
	for _, err := range []error{appendLine(s.IndexPath(), line), s.mark(o.plan.SessionID, o.forking.Now)} {
		if err != nil {
			o.plan.Warnings = append(o.plan.Warnings, "clients may find it later: "+err.Error())
		}
	}
	return &o.plan, nil
}

// forkThere has a server make the fork: POST /api/v1/sessions/{id}:fork, which answers with the new session.
func (s *Source) forkThere(ctx context.Context, server sessions.Server, o *origin) (*sessions.Fork, error) {
	body := map[string]string{}
	if o.forking.Title != "" {
		body["title"] = o.plan.Title
	}
	data, err := s.callServer(ctx, server, sessionPath(o.id)+":fork", body)
	if err != nil {
		return nil, refusal(sessions.ErrRefused, o.id, "%s did not fork it: %v", nameOf(server), err)
	}
	var made struct{ ID, Title string }
	if err := json.Unmarshal(data, &made); err != nil || made.ID == "" {
		return nil, refusal(sessions.ErrStale, o.id, "%s says that it forked it, and not into which session", nameOf(server))
	}
	o.plan.SessionID, o.plan.Title, o.plan.By = made.ID, made.Title, nameOf(server)
	o.plan.Path = filepath.Join(filepath.Dir(o.plan.Path), filepath.Base(made.ID))
	return &o.plan, nil
}
