package sessions

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"berth/locks"
)

// Chronicler writes into the audit trail what clients do: which process has a Session, and which wrote in it. One line
// for each change of hands, none for each turn.
type Chronicler struct {
	Index  *Index
	Audit  func(Action) error
	Logger *slog.Logger // nil logs nothing

	last map[string]hands // by the path of a Session
}

// hands are the processes that were last written down for a Session, by pid; 0 for none.
type hands struct{ holder, writer int }

// maxHands bounds what the Chronicler remembers; beyond it a line may be written twice.
const maxHands = 4096

// chronicleBuffer is how many Events the Chronicler may be behind; what it misses then has no line.
const chronicleBuffer = 1024

// Run writes until ctx ends.
func (c *Chronicler) Run(ctx context.Context) error {
	c.last = map[string]hands{}
	for ctx.Err() == nil {
		if !c.follow(ctx) {
			break
		}
	}
	return nil
}

// follow serves one Subscription; it returns whether to go on with another.
func (c *Chronicler) follow(ctx context.Context) bool {
	sub := c.Index.Subscribe(chronicleBuffer)
	defer sub.Close()
	for row := range sub.Snapshot.All() {
		c.remember(row.Path, handsOf(row)) // what was so before we looked has no line
	}
	for {
		select {
		case e, open := <-sub.C:
			if !open {
				return errors.Is(sub.Err(), ErrLagged)
			}
			c.write(&e)
		case <-ctx.Done():
			return false
		}
	}
}

func (c *Chronicler) write(e *Event) {
	var lines []Action
	switch s := e.Session; e.Kind {
	case Reset:
	case Removed:
		delete(c.last, s.Path)
	default:
		was := c.last[s.Path]
		lines = handActions(s, was)
		c.remember(s.Path, handsOf(s).or(was))
	}
	for i := range e.News {
		lines = append(lines, newsAction(&e.News[i]))
	}
	for _, a := range lines {
		if err := c.Audit(a); err != nil && c.Logger != nil {
			c.Logger.Warn("cannot keep the audit trail", "session", a.Session, "err", err)
		}
	}
}

// newsAction is the line for a piece of news. The title stays out of the trail, which has no content of Sessions.
func newsAction(n *News) Action {
	name, _, _ := strings.Cut(n.Key, "|")
	source, id, _ := strings.Cut(name, ":")
	a := Action{Kind: ActionNoticed, At: n.At, Session: id, Source: source, Detail: string(n.Kind)}
	if n.Kind == NewsTakenOver {
		a.Kind = ActionTaken
	}
	if n.By != nil {
		a.Detail += ", by " + n.By.Name
	}
	if n.From != nil {
		a.Detail += ", from " + n.From.Name
	}
	if n.Value != "" {
		a.Detail += ": " + n.Value
	}
	return a
}

func (c *Chronicler) remember(path string, h hands) {
	if h == (hands{}) {
		return
	}
	if len(c.last) >= maxHands {
		clear(c.last)
	}
	c.last[path] = h
}

// or keeps who had the Session last while nobody has it: a lock that blinks with every turn is one hold.
func (h hands) or(was hands) hands {
	if h.holder == 0 {
		h.holder = was.holder
	}
	if h.writer == 0 {
		h.writer = was.writer
	}
	return h
}

// handsOf names the one live process that has the Session, and the one that last wrote in it.
func handsOf(s *Session) hands {
	var h hands
	if s.Holder != nil && s.Holder.Verdict == locks.Live {
		h.holder = s.Holder.PID
	}
	if s.LastWriter != nil {
		h.writer = s.LastWriter.PID
	}
	return h
}

// handActions are the lines for a Session that was in other hands before.
func handActions(s *Session, was hands) []Action {
	now := handsOf(s)
	line := Action{Session: s.ID, Source: s.Source, Path: s.Path}
	var all []Action
	if now.holder != 0 && now.holder != was.holder {
		a := line
		a.Kind, a.Evidence = ActionTook, s.Holder.Evidence
		a.Detail = fmt.Sprintf("%s has it, known by %s", HolderName(s.Holder), s.Holder.Via)
		all = append(all, a)
	}
	if now.writer != 0 && now.writer != was.writer {
		a := line
		a.Kind, a.At = ActionWrote, s.LastWriter.Seen
		a.Detail = fmt.Sprintf("%s wrote in it (%s)", s.LastWriter.Name, s.LastWriter.Certainty)
		all = append(all, a)
	}
	return all
}
