package locks

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestPollExit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		alive := func() Verdict {
			if time.Since(start) >= 70*time.Second {
				return Dead
			}
			return Live
		}
		if err := pollExit(t.Context(), alive); err != nil {
			t.Error(err)
		}
		if d := time.Since(start); d != 90*time.Second {
			t.Errorf("noticed after %v", d)
		}
	})
}

func TestPollExitCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := pollExit(ctx, func() Verdict { return Live }); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}
