package sessions

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

// TestCode: scripts see the words of the two session protocols, however deep the cause is wrapped.
func TestCode(t *testing.T) {
	tests := []struct {
		err  error
		want string
	}{
		{nil, ""},
		{ErrNotFound, "SESSION_NOT_FOUND"},
		{ErrOccupied, "session.occupied"},
		{ErrAmbiguous, "AMBIGUOUS_SESSION"},
		{ErrStale, "session.stale"},
		{ErrClosed, "SESSION_ALREADY_CLOSED"},
		{ErrRefused, "REFUSED"},
		{ErrNotCapable, "REFUSED"},
		{context.Canceled, "ERROR"},
	}
	for _, tt := range tests {
		if got := Code(tt.err); got != tt.want {
			t.Errorf("Code(%v) = %q, want %q", tt.err, got, tt.want)
		}
		if tt.err == nil {
			continue
		}
		wrapped := fmt.Errorf("close a: %w", &Error{Err: tt.err, Session: "a", Detail: "why"})
		if got := Code(wrapped); got != tt.want || !errors.Is(wrapped, tt.err) {
			t.Errorf("Code(%v) = %q, want %q", wrapped, got, tt.want)
		}
	}
}

func TestErrorText(t *testing.T) {
	tests := []struct {
		err  *Error
		want string
	}{
		{&Error{Err: ErrOccupied, Session: "a", Detail: "pid 5 has it", Hint: "wait"}, "a: pid 5 has it"},
		{&Error{Err: ErrOccupied, Session: "a"}, "a: session is occupied"},
		{&Error{Err: ErrNotFound, Detail: "no session was named"}, "no session was named"},
		{&Error{Err: ErrNotFound}, "no such session"},
	}
	for _, tt := range tests {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("Error() = %q, want %q", got, tt.want)
		}
	}
}
