package sessions

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/locks"
)

// sessionKeys are all keys that one object of `list --json` can have: those that the contract names, and those
// that were added to it since.
const sessionKeys = `
	agent agent_count agents agents.id agents.parent agents.type ambiguous_group archived archived_at client_name
	created_at ended_at evidence facts forked_from holder holder.certainty holder.client holder.evidence
	holder.hostname holder.pid holder.started_at holder.verdict holder.via holder.where id last_writer last_writer.boot_id
	last_writer.certainty last_writer.name last_writer.pid last_writer.seen last_writer.start parent_id path problems project reasons root source status
	status_word title updated_at work work.busy work.last_turn_reason work.main_turn_active work.pending_interaction
	work_dir`

// TestSessionKeys fills every field there is, so that a new one cannot get into the JSON (or stay out of it)
// unnoticed.
func TestSessionKeys(t *testing.T) {
	var s Session
	fill(t, reflect.ValueOf(&s).Elem())
	got := keys("", asJSON(t, s))
	want := strings.Fields(sessionKeys)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("keys = %q\nwant   %q", got, want)
	}
}

// fill sets v and everything in it to something that is not zero.
func fill(t *testing.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(t, v.Index(0))
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(noon))
			return
		}
		for i := range v.NumField() {
			fill(t, v.Field(i))
		}
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(uint64(Yes))
	default:
		t.Fatalf("a field of kind %v: teach fill about it", v.Kind())
	}
}

// asJSON returns v as a JSON reader without our types sees it.
func asJSON(t *testing.T, v any) map[string]any {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// keys lists the keys of m and of the objects in it.
func keys(prefix string, m map[string]any) []string {
	var all []string
	for key, v := range m {
		all = append(all, prefix+key)
		if list, ok := v.([]any); ok && len(list) > 0 {
			v = list[0]
		}
		if inner, ok := v.(map[string]any); ok {
			all = append(all, keys(prefix+key+".", inner)...)
		}
	}
	return all
}

// TestUnknownIsAbsent: a Session of which nothing is known has no keys but those that every Session has.
func TestUnknownIsAbsent(t *testing.T) {
	got := slices.Sorted(maps.Keys(asJSON(t, Session{Record: &Record{}})))
	if want := []string{"path", "root", "source", "status"}; !slices.Equal(got, want) {
		t.Errorf("keys = %q, want %q", got, want)
	}
	got = slices.Sorted(maps.Keys(asJSON(t, Holder{})))
	if want := []string{"verdict", "via"}; !slices.Equal(got, want) {
		t.Errorf("keys of a holder = %q, want %q", got, want)
	}
}

// TestSessionJSON shows one Session whole, as scripts get it, and reads it back.
func TestSessionJSON(t *testing.T) {
	rec := kimiRecord(inTurn, func(r *Record) {
		r.CreatedAt, r.UpdatedAt = ago(24*time.Hour), ago(time.Hour).Add(250*time.Millisecond)
		r.Agents, r.AgentCount = []Agent{{ID: "main", Type: "main"}}, 1
	})
	row, _ := Classify(Situation{Record: rec, Writer: Writer{Alive: Yes, Holder: &Holder{
		PID: 3988, Client: "Kimi in a terminal", StartedAt: ago(3 * time.Hour), Verdict: locks.Live, Via: ViaTempName,
		Evidence: []string{"pid 3988 wrote its state"},
	}}}, noon, DefaultPolicy())
	const want = `{
	"id": "session_a",
	"source": "kimi",
	"root": "/home/dev/.kimi",
	"path": "/home/dev/.kimi/sessions/wd_p/session_a",
	"work_dir": "/p",
	"title": "Fix login",
	"created_at": "2026-03-13T12:00:00Z",
	"updated_at": "2026-03-14T11:00:00.25Z",
	"archived": false,
	"agents": [
		{
			"id": "main",
			"type": "main"
		}
	],
	"agent_count": 1,
	"status": "occupied",
	"reasons": [
		"open-turn"
	],
	"facts": [
		"busy"
	],
	"holder": {
		"pid": 3988,
		"client": "Kimi in a terminal",
		"started_at": "2026-03-14T09:00:00Z",
		"verdict": "live",
		"via": "temp-name",
		"evidence": [
			"pid 3988 wrote its state"
		]
	},
	"work": {
		"busy": true,
		"main_turn_active": true
	},
	"evidence": [
		"the journal ends inside a turn that began 2026-03-14T10:00:00Z",
		"pid 3988 wrote its state"
	]
}`
	got, err := json.MarshalIndent(row, "", "\t")
	if err != nil || string(got) != want {
		t.Errorf("error %v\n%s\nwant\n%s", err, got, want)
	}
	var back Session
	if err := json.Unmarshal(got, &back); err != nil {
		t.Fatal(err)
	}
	if again := asJSON(t, back); !reflect.DeepEqual(again, asJSON(t, row)) {
		t.Errorf("after a round trip: %v", again)
	}
}

func TestTri(t *testing.T) {
	type holder struct {
		Known Tri `json:"known,omitzero"`
	}
	for tri, want := range map[Tri]string{Unknown: `{}`, No: `{"known":false}`, Yes: `{"known":true}`} {
		b, err := json.Marshal(holder{tri})
		if err != nil || string(b) != want {
			t.Errorf("%d is written as %s, %v; want %s", tri, b, err, want)
		}
		var back holder
		if err := json.Unmarshal(b, &back); err != nil || back.Known != tri {
			t.Errorf("%s is read as %d, %v; want %d", b, back.Known, err, tri)
		}
	}
	if b, err := json.Marshal(Unknown); err != nil || string(b) != "null" {
		t.Errorf("Unknown by itself is %s, %v", b, err)
	}
	var back holder
	if err := json.Unmarshal([]byte(`{"known":"perhaps"}`), &back); err != nil || back.Known != Unknown {
		t.Errorf("another word is read as %d, %v; want Unknown", back.Known, err)
	}
	if TriOf(true) != Yes || TriOf(false) != No {
		t.Error("TriOf turns facts around")
	}
}

func TestName(t *testing.T) {
	tests := []struct {
		rec       Record
		name, log string
	}{
		{Record{Title: "Fix login", ID: "a", Root: "/v", Path: "/v/n.md"}, "Fix login", "a"},
		{Record{ID: "a", Root: "/v", Path: "/v/n.md"}, "a", "a"},
		{Record{Root: "/v", Path: "/v/x/n.md"}, "/v/x/n.md", "x/n.md"},
	}
	for _, tt := range tests {
		s := rowOf(&tt.rec)
		if s.Name() != tt.name || s.LogValue().String() != tt.log {
			t.Errorf("Name %q, LogValue %q; want %q, %q", s.Name(), s.LogValue(), tt.name, tt.log)
		}
	}
}
