package locks

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestClockLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		wasSet := false
		l := newClockLog(func() bool { return wasSet }, bootTime)
		time.Sleep(time.Hour)
		if got := l.stableSince(); !got.Equal(start) {
			t.Errorf("clock never set: stable since %v, want %v", got, start)
		}
		wasSet = true
		if got := l.stableSince(); !got.Equal(time.Now()) {
			t.Errorf("clock just set: stable since %v, want %v", got, time.Now())
		}
		wasSet = false
		time.Sleep(time.Hour)
		if got := l.stableSince(); !got.Equal(start.Add(time.Hour)) {
			t.Errorf("clock set an hour ago: stable since %v, want %v", got, start.Add(time.Hour))
		}
	})
}

func TestClockLogWithoutWatch(t *testing.T) {
	l := newClockLog(nil, bootTime)
	if got := l.stableSince(); !got.IsZero() {
		t.Errorf("unwatched clock is stable since %v", got)
	}
}

func TestBootIsSteady(t *testing.T) {
	read := at(8, 0, 0)
	l := newClockLog(nil, func() time.Time { return read })
	tests := []struct {
		name string
		read time.Time
		want time.Time
	}{
		{"jitter", at(8, 0, 0).Add(time.Millisecond), at(8, 0, 0)},
		{"clock set forward", at(10, 0, 0), at(10, 0, 0)},
		{"jitter around the new one", at(10, 0, 0).Add(-time.Millisecond), at(10, 0, 0)},
		{"clock set back", at(9, 0, 0), at(9, 0, 0)},
		{"no longer known", time.Time{}, time.Time{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			read = tt.read
			if got := l.boot(); !got.Equal(tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
