package kimi_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"berth/sessions"
	"berth/sessions/kimi"
	"berth/sessions/kimi/kimitest"
	"berth/sessions/sessiontest"
)

func TestContract(t *testing.T) {
	for _, home := range []string{"kimi-home-2.1.0", "kimi-home-0.20.0"} {
		t.Run(home, func(t *testing.T) { sessiontest.Run(t, storeLike(home)) })
	}
}

func storeLike(home string) sessiontest.Store {
	turn := 100
	return sessiontest.Store{
		Open: func(t testing.TB, root string) sessions.Source { return kimi.New(kimi.Config{Home: root}) },
		Fill: func(t testing.TB, root string) []string { return fillFrom(t, home, root) },
		Change: func(t testing.TB, root, key string) string {
			turn++
			wire := filepath.Join(root, key, "agents", "main", "wire.jsonl")
			kimitest.Append(t, wire, kimitest.Turn(turn, turn, "once more"))
			return wire
		},
		Break: func(t testing.TB, root, key string) {
			kimitest.Write(t, filepath.Join(root, key, "state.json"), []byte(`{bad json`))
		},
		Remove: func(t testing.TB, root, key string) {
			id := filepath.Base(key)
			if err := os.RemoveAll(filepath.Join(root, key)); err != nil {
				t.Fatal(err)
			}
			line, _ := json.Marshal(map[string]any{"sessionId": id, "deleted": true})
			kimitest.Append(t, filepath.Join(root, "session_index.jsonl"), string(line)+"\n")
		},
	}
}

// fillFrom copies one of the real homes into root, adds a session, and returns the keys of the sound ones. The
// damaged ones are taken out: they have tests of their own.
func fillFrom(t testing.TB, name, root string) []string {
	t.Helper()
	kimitest.Copy(t, filepath.Join("testdata", name), root)
	kimitest.Session{
		Bucket: "wd_own_000000000000", ID: "session_own", WorkDir: "/home/dev/work/own",
		Wire: kimitest.Header("1.5") + kimitest.Turn(0, 0, "one of our own"),
	}.Make(t, root)
	var keys []string
	for _, r := range loadAll(t, kimi.New(kimi.Config{Home: root}), time.Now()) {
		if len(r.Problems) == 0 {
			keys = append(keys, r.Key)
		} else if err := os.RemoveAll(r.Path); err != nil {
			t.Fatal(err)
		}
	}
	return keys
}
