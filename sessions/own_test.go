package sessions

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// noteNow is an open note of a client, as it is on disk now.
func noteNow(change ...func(*Record)) *Record {
	r := session("n", activeNote, func(r *Record) { r.ClientName, r.Trace = "claude-code", &Trace{} })
	for _, c := range change {
		c(r)
	}
	return r
}

func ended(r *Record) { r.StatusWord, r.Open, r.Trace = "done", false, &Trace{Ended: time.Now()} }

func byClient(name string) func(*Record) { return func(r *Record) { r.ClientName = name } }

func resumed(r *Record) { r.Trace = &Trace{Resumed: time.Now()} }

// TestNoteChanges: which keys another program changed, from what to what.
func TestNoteChanges(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Record)
		want   []string
		news   []string
	}{
		{name: "nothing", change: func(*Record) {}},
		{name: "its title", change: titled("new")},
		{name: "closed", change: ended, want: []string{`status changed from "active" to "done", seen at`, "ended_at became"}, news: []string{"closed-elsewhere n"}},
		{name: "in other hands", change: byClient("codex"), want: []string{`client_name changed from "claude-code" to "codex"`}, news: []string{"taken-over n"}},
		{name: "resumed", change: resumed, want: []string{"the resume marker became"}},
		{name: "no client any more", change: byClient(""), want: []string{`client_name "claude-code" was taken out`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newListedRig(t, newDisk("vault", "/vault", noteNow()), nil)
				sub := r.index.Subscribe(128)
				defer sub.Close()
				r.disk.put(noteNow(tt.change))
				r.hint("n")
				ev := r.row("n").AllEvidence
				if len(ev) != len(tt.want) {
					t.Errorf("evidence = %q, want %d sentences", ev, len(tt.want))
				}
				for _, part := range tt.want {
					if !strings.Contains(strings.Join(ev, "\n"), part) {
						t.Errorf("evidence = %q, want %q in it", ev, part)
					}
				}
				if got := newsLines(sub); !slices.Equal(got, tt.news) {
					t.Errorf("news = %q, want %q", got, tt.news)
				}
				pass(2 * hotFor)
				if ev := r.row("n").AllEvidence; strings.Contains(strings.Join(ev, "\n"), "not by berth") {
					t.Errorf("days later: evidence = %q", ev)
				}
			})
		})
	}
}

// TestOwnWrite: what berth writes is never called external, whatever the order in which it comes to our ears; and what
// another program writes at the same time is not hidden by it.
func TestOwnWrite(t *testing.T) {
	edit := func(was, left *Record) *Edit { return &Edit{Was: was, Left: left} }
	tests := []struct {
		name string
		// write is what happens on disk while the write is under way; seen tells the Index of it.
		write func(d *disk, seen func()) *Edit
		want  []string // in the evidence
		news  []string
		final string
	}{
		{name: "ours alone", final: "n closed", write: func(d *disk, _ func()) *Edit {
			d.put(noteNow(ended))
			return edit(noteNow(), noteNow(ended))
		}},
		{name: "ours alone, and its event comes first", final: "n closed", write: func(d *disk, seen func()) *Edit {
			d.put(noteNow(ended))
			seen()
			return edit(noteNow(), noteNow(ended))
		}},
		{name: "a mark of ours", final: "n active", write: func(d *disk, seen func()) *Edit {
			d.put(noteNow(resumed))
			seen()
			return edit(noteNow(), noteNow(resumed))
		}},
		{name: "another program wrote before", final: "n closed", write: func(d *disk, seen func()) *Edit {
			d.put(noteNow(byClient("codex")))
			seen()
			d.put(noteNow(byClient("codex"), ended))
			return edit(noteNow(byClient("codex")), noteNow(byClient("codex"), ended))
		}, want: []string{`client_name changed from "claude-code" to "codex"`}}, // no news: it is over
		{name: "another program overwrote ours at once", final: "n active", write: func(d *disk, seen func()) *Edit {
			d.put(noteNow(ended))
			d.put(noteNow(byClient("codex")))
			seen()
			return edit(noteNow(), noteNow(ended))
		}, want: []string{`status changed from "done" to "active"`, `client_name changed from "claude-code" to "codex"`}, news: []string{"taken-over n"}},
		{name: "another program closed it after our mark", final: "n closed", write: func(d *disk, seen func()) *Edit {
			d.put(noteNow(resumed))
			d.put(noteNow(ended))
			seen()
			return edit(noteNow(), noteNow(resumed))
		}, want: []string{`status changed from "active" to "done"`}, news: []string{"closed-elsewhere n"}},
		{name: "another program closed it, and we wrote nothing", final: "n closed", write: func(d *disk, seen func()) *Edit {
			d.put(noteNow(ended))
			seen()
			return nil
		}, want: []string{`status changed from "active" to "done"`}, news: []string{"closed-elsewhere n"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newListedRig(t, newDisk("vault", "/vault", noteNow()), nil)
				sub := r.index.Subscribe(128)
				defer sub.Close()
				pass(time.Minute)
				r.disk.put(noteNow(func(r *Record) { r.UpdatedAt = time.Now() }))
				r.hint("n")
				end, err := r.index.writing(t.Context(), r.row("n"))
				if err != nil {
					t.Fatal(err)
				}
				if err := end(tt.write(r.disk, func() { r.hint("n") })); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				r.want("in the end", tt.final)
				ev := strings.Join(r.row("n").AllEvidence, "\n")
				if strings.Count(ev, "not by berth") < len(tt.want) || len(tt.want) == 0 && ev != "" {
					t.Errorf("evidence = %q, want %q", ev, tt.want)
				}
				for _, part := range tt.want {
					if !strings.Contains(ev, part) {
						t.Errorf("evidence = %q, want %q in it", ev, part)
					}
				}
				if got := newsLines(sub); !slices.Equal(got, tt.news) {
					t.Errorf("news = %q, want %q", got, tt.news)
				}
				r.hint("n")
				if got := newsLines(sub); got != nil || len(r.index.own) != 0 {
					t.Errorf("afterwards: news = %q, %d writes are under way", got, len(r.index.own))
				}
			})
		})
	}
}

// TestOwnWriteOfWhatGoes: a note that is deleted under our hands is no longer waited for.
func TestOwnWriteOfWhatGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newListedRig(t, newDisk("vault", "/vault", noteNow()), nil)
		end, err := r.index.writing(t.Context(), r.row("n"))
		if err != nil {
			t.Fatal(err)
		}
		r.disk.remove("n")
		r.hint("n")
		if err := end(nil); !errors.Is(err, ErrNotFound) {
			t.Errorf("end = %v", err)
		}
		r.stop()
		if len(r.index.own) != 0 {
			t.Error("the write is still under way")
		}
	})
}
