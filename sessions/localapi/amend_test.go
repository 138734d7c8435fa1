package localapi

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"berth/sessions"
)

func (b *backend) Amend(_ context.Context, r sessions.AmendRequest) (*sessions.Edit, error) {
	b.asked = append(b.asked, r)
	return &sessions.Edit{Message: "session renamed: s", Before: []byte("{ }"), After: []byte("{}")}, b.err
}

func TestAmendCarriesItsArguments(t *testing.T) {
	b := &backend{view: aView()}
	c, _ := serve(t, b)
	r := sessions.AmendRequest{Kind: sessions.AmendRename, Ref: "r", Title: "t <&> 字", DryRun: true, UseServer: true}
	e, err := c.Amend(t.Context(), r)
	if err != nil || e.Message != "session renamed: s" || string(e.Before) != "{ }" || string(e.After) != "{}" {
		t.Fatalf("amended %+v, %v", e, err)
	}
	if want := []any{r}; !reflect.DeepEqual(b.asked, want) {
		t.Errorf("asked %q, want %q", b.asked, want)
	}
	for err, code := range map[error]string{
		sessions.ErrTitleEmpty: "session.title_empty", sessions.ErrUnsafeID: "session.id_invalid", sessions.ErrNoState: "session.state_not_found",
		sessions.ErrBadState: "session.state_invalid", sessions.ErrAskServer: "SERVER_NOT_ASKED", sessions.ErrRefused: "REFUSED",
	} {
		b.err = &sessions.Error{Err: err, Session: "s", Detail: "why"}
		if _, got := c.Amend(t.Context(), r); !errors.Is(got, err) || sessions.Code(got) != code {
			t.Errorf("%v arrives as %v (%s), want %s", err, got, sessions.Code(got), code)
		}
	}
}

func (b *backend) Reindex(_ context.Context, r sessions.ReindexRequest) ([]sessions.IndexLine, error) {
	b.asked = append(b.asked, r)
	return []sessions.IndexLine{{SessionID: "s", Fault: sessions.IndexMissing, Line: "{}"}}, b.err
}

func TestReindexCarriesItsArguments(t *testing.T) {
	b := &backend{view: aView()}
	c, _ := serve(t, b)
	r := sessions.ReindexRequest{Fix: true, DryRun: true}
	if lines, err := c.Reindex(t.Context(), r); err != nil || len(lines) != 1 || lines[0].Fault != sessions.IndexMissing {
		t.Errorf("got %+v, %v", lines, err)
	}
	b.err = sessions.ErrRefused
	if _, err := c.Reindex(t.Context(), r); !errors.Is(err, sessions.ErrRefused) {
		t.Errorf("got %v", err)
	}
	if want := []any{r, r}; !reflect.DeepEqual(b.asked, want) {
		t.Errorf("asked %q, want %q", b.asked, want)
	}
}

func (b *backend) Fork(_ context.Context, r sessions.ForkRequest) (*sessions.Fork, error) {
	b.asked = append(b.asked, r)
	return &sessions.Fork{SessionID: "s", ForkedFrom: r.Ref}, b.err
}

func TestForkCarriesItsArguments(t *testing.T) {
	b := &backend{view: aView()}
	c, _ := serve(t, b)
	r := sessions.ForkRequest{Ref: "r", Title: "t", DryRun: true, UseServer: true}
	if f, err := c.Fork(t.Context(), r); err != nil || f.SessionID != "s" || f.ForkedFrom != "r" {
		t.Errorf("got %+v, %v", f, err)
	}
	if want := []any{r}; !reflect.DeepEqual(b.asked, want) {
		t.Errorf("asked %q, want %q", b.asked, want)
	}
}
