package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"berth/cmd/internal/daemon"
	"berth/sessions"
	"berth/sessions/localapi"

	"github.com/spf13/cobra"
)

func (a *app) watchCmd() *cobra.Command {
	var f filter
	var asJSON bool
	cmd := &cobra.Command{
		Use: "watch", Short: "Print what happens, as it happens", Args: noArgs,
		Long: "Print the sessions, then every change until interrupted. With a running service it follows that one; " +
			"without one it watches the stores itself.",
		Example: "  berth watch\n  berth watch --json --source kimi",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			print := a.watchText(&f)
			if asJSON {
				print = watchJSON(a.stdout, &f)
			}
			return a.watch(cmd.Context(), print)
		},
	}
	f.flags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line, the snapshot first")
	return cmd
}

// watch follows the running service; without one it is the service for as long as it runs.
func (a *app) watch(ctx context.Context, fn func(sessions.Update) error) error {
	if !a.local {
		if c, err := localapi.Dial(ctx, a.paths.Socket()); err == nil && a.serves(ctx, c) {
			return c.Watch(ctx, fn)
		}
	}
	d, err := daemon.NewPrivate(a.options())
	if err != nil {
		return err
	}
	return d.RunWith(ctx, func(ctx context.Context) error { return d.Service.Watch(ctx, fn) })
}

// watchJSON prints {"event":"snapshot",…} and then one event a line.
func watchJSON(w io.Writer, f *filter) func(sessions.Update) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return func(u sessions.Update) error {
		if u.View != nil {
			return enc.Encode(struct {
				Event string `json:"event"`
				*sessions.View
				News []sessions.News `json:"news,omitempty"`
			}{string(sessions.Reset), f.view(u.View), u.News})
		}
		if !f.concerns(u.Event) {
			return nil
		}
		return enc.Encode(u.Event)
	}
}

// view is v with the rows that f keeps.
func (f *filter) view(v *sessions.View) *sessions.View {
	out := *v
	out.Sessions = []*sessions.Session{}
	for _, s := range v.Sessions {
		if f.keep(s) {
			out.Sessions = append(out.Sessions, s)
		}
	}
	return &out
}

// concerns reports whether an event is about a row that is, or was, kept.
func (f *filter) concerns(e *sessions.Event) bool {
	return f.keep(e.Session) || e.Previous != nil && f.keep(e.Previous)
}

// watchText prints a line for each change that a person can see in it: the first line about a session, and then
// every one that differs from the last about it.
func (a *app) watchText(f *filter) func(sessions.Update) error {
	var short names
	last := map[string]string{} // by the path of the session
	return func(u sessions.Update) error {
		stamp := a.now().Format(time.TimeOnly)
		if u.View != nil {
			short = nameSessions(u.View.Sessions)
			clear(last)
			return errors.Join(a.watchView(stamp, f.view(u.View), short), a.printNews(stamp, u.News))
		}
		if !f.concerns(u.Event) {
			return nil
		}
		if err := a.printNews(stamp, u.Event.News); err != nil {
			return err
		}
		short.add(u.Event.Session)
		state := stateText(u.Event.Session)
		if u.Event.Kind == sessions.Changed && (state == last[u.Event.Session.Path] || state == stateText(u.Event.Previous)) {
			return nil
		}
		last[u.Event.Session.Path] = state
		_, err := fmt.Fprintf(a.stdout, "%s  %s\n", stamp, eventText(u.Event, short))
		return err
	}
}

// printNews prints a line for each thing that a person should be told.
func (a *app) printNews(stamp string, news []sessions.News) error {
	for i := range news {
		if _, err := fmt.Fprintf(a.stdout, "%s  %s: %s\n", stamp, news[i].Kind, clean(news[i].String())); err != nil {
			return err
		}
	}
	return nil
}

// stateText is what a line says about a session, whatever it was before; "" for none.
func stateText(s *sessions.Session) string {
	if s == nil {
		return ""
	}
	return statusText(s) + "  " + s.Name() + holderText(s)
}

func holderText(s *sessions.Session) string {
	if s.Holder == nil {
		return ""
	}
	return "  (" + sessions.HolderName(s.Holder) + ")"
}

func (a *app) watchView(stamp string, v *sessions.View, short names) error {
	for _, c := range v.Coverage {
		if c.Reason != "" {
			fmt.Fprintf(a.stderr, "berth: %s: %s (%s). %s\n", clean(c.Path), c.Coverage, clean(c.Reason), clean(c.Remedy))
		}
	}
	if _, err := fmt.Fprintf(a.stdout, "%s  %s\n", stamp, counts(v.Sessions)); err != nil {
		return err
	}
	for _, s := range v.Sessions {
		if s.Status == sessions.Active {
			continue // what needs nobody is counted, not listed
		}
		if _, err := fmt.Fprintf(a.stdout, "          %s  %s  %s\n", short.of(s), statusText(s), clean(s.Name())); err != nil {
			return err
		}
	}
	return nil
}

// counts is a line such as "12 sessions: 1 occupied, 2 stale, 9 active".
func counts(rows []*sessions.Session) string {
	n := map[sessions.Status]int{}
	for _, s := range rows {
		n[s.Status]++
	}
	text := fmt.Sprintf("%d sessions", len(rows))
	sep := ": "
	for _, st := range statuses {
		if n[st] > 0 {
			text += fmt.Sprintf("%s%d %s", sep, n[st], st)
			sep = ", "
		}
	}
	return text
}

// eventText is one line about one event: what changed, and who has the session.
func eventText(e *sessions.Event, short names) string {
	s := e.Session
	text := short.of(s) + "  "
	switch e.Kind {
	case sessions.Removed:
		text += "removed"
	case sessions.Added:
		text += "new: " + statusText(s)
	default:
		text += changeText(e.Previous, s)
	}
	return clean(text + "  " + s.Name() + holderText(s))
}

func changeText(old, now *sessions.Session) string {
	if old == nil || statusText(old) == statusText(now) {
		return statusText(now)
	}
	return statusText(old) + " -> " + statusText(now)
}
