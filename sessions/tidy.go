package sessions

import (
	"strings"
	"time"
	"unique"
)

// load reads key, and makes what the Source returned fit for keeping and for showing.
func load(src Source, key string, now time.Time) (*Record, error) {
	rec, err := src.Load(key, now)
	if err != nil {
		return nil, err
	}
	rec.tidyTimes()
	rec.compact()
	return rec, nil
}

// tidyTimes puts every time that is shown into UTC, and takes out those that JSON cannot carry: one of them would spoil
// the whole list instead of one row.
func (r *Record) tidyTimes() {
	for _, f := range [...]struct {
		t   *time.Time
		key string
	}{
		{&r.CreatedAt, "created_at"}, {&r.UpdatedAt, "updated_at"}, {&r.EndedAt, "ended_at"}, {&r.ArchivedAt, "archived_at"},
	} {
		was := *f.t
		if *f.t = tidyTime(was); !f.t.Equal(was) {
			r.Problems = append(r.Problems, f.key+" has no date that can be shown: "+was.UTC().String())
		}
	}
}

// tidyTime returns t in UTC, or zero when its year has not four digits.
func tidyTime(t time.Time) time.Time {
	t = t.UTC()
	if y := t.Year(); y < 0 || y > 9999 {
		return time.Time{}
	}
	return t
}

// onlyMain are the agents of most Sessions.
var onlyMain = []Agent{{ID: "main", Type: "main"}}

// compact makes equal strings share their bytes, within r and with other Records. Among 100,000 Sessions that saves a
// quarter of the memory.
func (r *Record) compact() {
	if below, ok := strings.CutSuffix(r.Path, r.Key); ok {
		r.Key = r.Path[len(below):]
	}
	if i := strings.LastIndex(r.Path, r.ID); i >= 0 {
		r.ID = r.Path[i : i+len(r.ID)]
	}
	for _, s := range [...]*string{
		&r.Project, &r.WorkDir, &r.Agent, &r.ClientName, &r.StatusWord, &r.Work.PendingInteraction, &r.Work.LastTurnReason,
	} {
		if *s != "" {
			*s = unique.Make(*s).Value()
		}
	}
	if len(r.Agents) == 1 && r.Agents[0] == onlyMain[0] {
		r.Agents = onlyMain
	}
}
