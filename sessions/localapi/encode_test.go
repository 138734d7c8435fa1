package localapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"berth/sessions"
	"berth/watcher"
)

// TestViewInPiecesIsTheSame: row by row or at once, the reader cannot tell.
func TestViewInPiecesIsTheSame(t *testing.T) {
	full := aView()
	full.Coverage = []watcher.RootStatus{{Path: "/h", Coverage: watcher.Watching}}
	full.Sessions = append(full.Sessions, full.Sessions[0])
	for name, v := range map[string]*sessions.View{"full": full, "one": aView(), "empty": {Sessions: []*sessions.Session{}}} {
		env := envelope{Msg: "ok", RequestID: "r", Data: v}
		var pieces bytes.Buffer
		if err := writeEnvelope(&pieces, env); err != nil {
			t.Fatal(err)
		}
		whole, err := json.Marshal(env)
		if err != nil {
			t.Fatal(err)
		}
		var got, want any
		if err := json.Unmarshal(pieces.Bytes(), &got); err != nil {
			t.Fatalf("%s: %v in %s", name, err, &pieces)
		}
		if err := json.Unmarshal(whole, &want); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got\n%s\nwant\n%s", name, &pieces, whole)
		}
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("gone") }

func TestReaderThatIsGone(t *testing.T) {
	if err := writeEnvelope(broken{}, envelope{Data: aView()}); err == nil {
		t.Error("an answer that was not delivered is no error")
	}
}

func BenchmarkView(b *testing.B) {
	v := aView()
	for len(v.Sessions) < 10_000 {
		v.Sessions = append(v.Sessions, v.Sessions[0])
	}
	var out bytes.Buffer
	b.ReportAllocs()
	for b.Loop() {
		out.Reset()
		if err := writeEnvelope(&out, envelope{Data: v}); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(out.Len()))
}
