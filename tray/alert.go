package tray

import (
	"errors"
	"strings"

	"berth/sessions"
)

// Alert is what a dialog says about a verb that failed: what blocks, and what to do about it.
type Alert struct {
	Title string // what happened, in the language of the interface
	Text  string // what blocks, with values, as the service says it
	Hint  string // "What to do: …", or ""
}

// Explain turns the error of a verb into an Alert. err must not be nil.
func Explain(err error, l Lang) Alert {
	a := Alert{Title: l.Text(alertTitle(err)), Text: err.Error()}
	var e *sessions.Error
	if !errors.As(err, &e) {
		return a
	}
	if e.Detail != "" {
		a.Text = e.Detail
	}
	for _, c := range e.Candidates {
		a.Text += "\n" + strings.Join(nonEmpty(Truncate(title(c), nameColumns), clientName(c), Clean(c.ID)), " · ")
	}
	if e.Hint != "" {
		a.Hint = l.Text(MsgWhatToDo, e.Hint)
	}
	return a
}

func alertTitle(err error) Msg {
	for _, c := range []struct {
		err error
		msg Msg
	}{
		{sessions.ErrNotFound, MsgErrNotFound},
		{sessions.ErrOccupied, MsgErrOccupied},
		{sessions.ErrAmbiguous, MsgErrAmbiguous},
		{sessions.ErrStale, MsgErrStale},
		{sessions.ErrClosed, MsgErrClosed},
		{sessions.ErrRefused, MsgErrRefused},
	} {
		if errors.Is(err, c.err) {
			return c.msg
		}
	}
	return MsgErrOther
}
