package tray

import (
	"errors"
	"fmt"
	"testing"

	"berth/sessions"
)

func TestExplain(t *testing.T) {
	held := &sessions.Error{Err: sessions.ErrOccupied, Session: "Fix login", Detail: "it is occupied by Kimi (pid 3988)", Hint: "end it first"}
	both := &sessions.Error{Err: sessions.ErrAmbiguous, Session: "019f", Detail: "more than one session carries this id",
		Candidates: []*sessions.Session{note("n1", titled("Upload")), note("n2", titled("Upload\n2"))}}
	for _, tt := range []struct {
		name string
		err  error
		lang Lang
		want Alert
	}{
		{"what blocks, and what to do", held, English,
			Alert{"Somebody has this session", "it is occupied by Kimi (pid 3988)", "What to do: end it first"}},
		{"the same in Chinese; details are the service's", held, Chinese,
			Alert{"会话正被占用", "it is occupied by Kimi (pid 3988)", "建议：end it first"}},
		{"wrapped on its way", fmt.Errorf("close: %w", held), English,
			Alert{"Somebody has this session", "it is occupied by Kimi (pid 3988)", "What to do: end it first"}},
		{"candidates are listed", both, English, Alert{"More than one session matches",
			"more than one session carries this id\nUpload · claude-code · n1\nUpload 2 · claude-code · n2", ""}},
		{"a refusal", &sessions.Error{Err: sessions.ErrNotCapable, Session: "a", Detail: "a kimi session is not closed by berth"}, English,
			Alert{"This was refused, to be safe", "a kimi session is not closed by berth", ""}},
		{"gone", &sessions.Error{Err: sessions.ErrNotFound, Session: "a"}, English,
			Alert{"The session is not there any more", "a: no such session", ""}},
		{"changed", sessions.ErrStale, English, Alert{"The session changed meanwhile", "session changed meanwhile", ""}},
		{"closed by another", sessions.ErrClosed, English, Alert{"The session is already closed", "session is already closed", ""}},
		{"anything else", errors.New("read /vault/a.md: input/output error"), English,
			Alert{"That did not work", "read /vault/a.md: input/output error", ""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Explain(tt.err, tt.lang); got != tt.want {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}
