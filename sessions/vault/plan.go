package vault

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gopkg.in/yaml.v3"

	"berth/sessions"
)

// PlanClose returns what [Source.CloseSession] would write now. It needs no locks and writes nothing.
func (s *Source) PlanClose(key string, r sessions.CloseRequest) (*sessions.Edit, error) {
	return s.plan(key, func(n *note) (*sessions.Edit, error) { return s.planClose(context.Background(), n, r) })
}

// PlanMark returns what [Source.MarkResumed] would write now. It needs no locks and writes nothing.
func (s *Source) PlanMark(key string, r sessions.MarkRequest) (*sessions.Edit, error) {
	return s.plan(key, func(n *note) (*sessions.Edit, error) { return planMark(s.current(), n, r) })
}

func (s *Source) plan(key string, change func(*note) (*sessions.Edit, error)) (*sessions.Edit, error) {
	t, err := s.resolve(key)
	if err != nil {
		return nil, err
	}
	n, err := readNote(t)
	if err != nil {
		return nil, err
	}
	return change(n)
}

// closedResult is Kioku's result of end_work_session, in its order of keys (kioku.md section 4.2).
type closedResult struct {
	Action       string  `json:"action"`
	SessionID    *string `json:"session_id"`
	Path         string  `json:"path"`
	StartedAt    string  `json:"started_at"`
	EndedAt      string  `json:"ended_at"`
	Seconds      int64   `json:"duration_seconds"`
	NotesTouched int     `json:"notes_touched"`
	Coordination any     `json:"coordination"` // always null: linked notes are refused
}

// resumedResult is Kioku's result of a resume.
type resumedResult struct {
	Action       string  `json:"action"`
	SessionID    *string `json:"session_id"`
	Path         string  `json:"path"`
	Project      *string `json:"project"`
	Agent        *string `json:"agent"`
	ClientName   string  `json:"client_name"`
	StartedAt    string  `json:"started_at"`
	Coordination any     `json:"coordination"`
}

// orNull is s for JSON, null when it is empty.
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// planClose is the whole of a close but for the writing.
func (s *Source) planClose(ctx context.Context, n *note, r sessions.CloseRequest) (*sessions.Edit, error) {
	if err := n.writable(r.ID); err != nil {
		return nil, err
	}
	started, warning := n.start()
	end := ending{started: started, ended: r.Now.UTC().Truncate(tick), summary: cleanSummary(r.Summary)}
	var warnings []string
	if warning != "" {
		warnings = append(warnings, warning)
	}
	if end.ended.Before(started) {
		warnings = append(warnings, fmt.Sprintf("the clock says %s, before the session began; it ends when it began", formatTime(end.ended)))
		end.ended = started
	}
	var err error
	if end.touched, err = s.touched(ctx, n, started, r.Now); err != nil {
		return nil, err
	}
	after, err := closeBytes(s.current(), n, &end)
	if err != nil {
		return nil, err
	}
	return &sessions.Edit{
		Path: n.path, Before: n.raw, After: after, Message: "Session closed: " + n.key, Warnings: warnings,
		Result: &closedResult{
			Action: "closed", SessionID: orNull(n.meta.id), Path: n.key, StartedAt: formatTime(started),
			EndedAt: formatTime(end.ended), Seconds: int64(end.ended.Sub(started) / time.Second), NotesTouched: len(end.touched),
		},
	}, nil
}

// closeBytes is pure: the note's bytes after the session ended so.
func closeBytes(set *settings, n *note, end *ending) ([]byte, error) {
	e := n.edit()
	if err := e.set("", "done", "status"); err != nil {
		return nil, n.unsafe(err)
	}
	if err := n.setEnded(e, end.ended); err != nil {
		return nil, n.unsafe(err)
	}
	body := n.summarySection(end.summary)
	body = append(body, n.appendBlock(end.block()))
	return e.finish(set, end.ended, body)
}

// setEnded writes ended_at in the quotes that started_at has, in Kioku's own when there is none.
func (n *note) setEnded(e *frontEdit, at time.Time) error {
	q := quote(`"`)
	if fd, ok := n.front.last("started_at"); ok && fd.value.Kind == yaml.ScalarNode && n.meta.startedText != "" {
		q = quoteOf(fd.value)
	}
	first, _ := n.front.first("ended_at")
	if last, _ := n.front.last("ended_at"); first != last {
		return fmt.Errorf("ended_at is there twice, in different case, and so %w", errForm)
	}
	return e.set(q, formatTime(at), "ended_at")
}

// planMark is the protocol's resume: a mark at the end of an active note that has an id.
func planMark(set *settings, n *note, r sessions.MarkRequest) (*sessions.Edit, error) {
	if err := n.writable(r.ID); err != nil {
		var e *sessions.Error
		if errors.Is(err, sessions.ErrClosed) && errors.As(err, &e) {
			e.Err, e.Details = sessions.ErrNotActive, inactiveDetails{orNull(n.meta.id), n.meta.status}
		}
		return nil, err
	}
	if n.meta.id == "" {
		return nil, refused(n.key, "close it instead", "the note has no session_id; such a note cannot be resumed")
	}
	at := r.Now.UTC().Truncate(tick)
	block := n.appendBlock([]string{"---", "", resumedHeading + formatTime(at)})
	after, err := n.edit().finish(set, at, []splice{block})
	if err != nil {
		return nil, err
	}
	started, _ := n.start()
	client := n.meta.client
	if client == "" {
		client = "unknown"
	}
	return &sessions.Edit{
		Path: n.path, Before: n.raw, After: after, Message: "Work session resumed: " + n.key,
		Result: &resumedResult{
			Action: "resumed", SessionID: orNull(n.meta.id), Path: n.key, Project: orNull(n.meta.project),
			Agent: orNull(n.meta.agent), ClientName: client, StartedAt: formatTime(started),
		},
	}, nil
}

func (n *note) edit() *frontEdit { return &frontEdit{n: n, changed: map[*yaml.Node]string{}} }

// finish adds what every write of Kioku's adds, does the splices and checks the result.
func (e *frontEdit) finish(set *settings, at time.Time, body []splice) ([]byte, error) {
	if set.updated {
		if err := e.set("", at.Format(time.DateOnly), "updated", "modified"); err != nil {
			return nil, e.n.unsafe(err)
		}
	}
	after := applySplices(e.n.raw, slices.Concat(e.done(), body))
	if err := e.verify(after); err != nil {
		return nil, e.n.unsafe(err)
	}
	return after, nil
}

// unsafe wraps the reason why the frontmatter cannot be changed.
func (n *note) unsafe(cause error) error {
	return refused(n.key, "bring the frontmatter into a plain form in an editor first", "%v", cause)
}
