package kimi

import (
	"encoding/json"
	"testing"

	"berth/sessions/kimi/internal/rawjson"
)

func raw(s string) json.RawMessage { return json.RawMessage(s) }

func TestSplice(t *testing.T) {
	const pretty = "{\n  \"a\": 1,\n  \"b\": {\n    \"x\": [1, 2]\n  }\n}\n"
	for _, tt := range []struct {
		name, in string
		change   change
		want     string
	}{
		{"replaced in place", `{"a":1,"b":2}`, change{"a", raw("true")}, `{"a":true,"b":2}`},
		{"added last", `{"a":1}`, change{"b", raw(`"x"`)}, `{"a":1,"b":"x"}`},
		{"added to nothing", ` { } `, change{"b", raw("1")}, ` {"b":1 } `},
		{"added in a pretty file", pretty, change{"c", raw("true")}, "{\n  \"a\": 1,\n  \"b\": {\n    \"x\": [1, 2]\n  },\n  \"c\": true\n}\n"},
		{"replaced in a pretty file", pretty, change{"a", raw("2")}, "{\n  \"a\": 2,\n  \"b\": {\n    \"x\": [1, 2]\n  }\n}\n"},
		{"the first is taken out", `{"a":1,"b":2}`, change{"a", nil}, `{"b":2}`},
		{"the last is taken out", `{"a":1,"b":2}`, change{"b", nil}, `{"a":1}`},
		{"the only one is taken out", `{"a":1}`, change{"a", nil}, `{}`},
		{"the last of a pretty file is taken out", pretty, change{"b", nil}, "{\n  \"a\": 1\n}\n"},
		{"none is taken out", `{"a":1}`, change{"b", nil}, `{"a":1}`},
		{"the last of two counts", `{"a":1,"a":2}`, change{"a", raw("3")}, `{"a":1,"a":3}`},
		{"both of two are taken out", `{"a":1,"b":0,"a":2}`, change{"a", nil}, `{"b":0}`},
		{"a key in escapes", `{"\u0061":1}`, change{"a", raw("2")}, `{"\u0061":2}`},
		{"names inside of others do not count", `{"b":{"a":1},"c":"\"a\":1"}`, change{"a", raw("2")}, `{"b":{"a":1},"c":"\"a\":1","a":2}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := splice([]byte(tt.in), []change{tt.change})
			if !ok || string(got) != tt.want {
				t.Errorf("got %s, %v; want %s", got, ok, tt.want)
			}
			if !sameBut([]byte(tt.in), got, []change{tt.change}) {
				t.Error("something else changed")
			}
		})
	}
	for _, in := range []string{"", "[]", `{"a":1`, `{"a":1}{}`, "null"} {
		if got, ok := splice([]byte(in), []change{{"a", raw("1")}}); ok {
			t.Errorf("%q became %q", in, got)
		}
	}
}

func TestSameBut(t *testing.T) {
	about := []change{{"a", raw("1")}}
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{`{"a":1,"b":2}`, `{"b":2}`, true},
		{`{"a":1,"b":2}`, `{"b":3}`, false},
		{`{"b":2,"c":3}`, `{"c":3,"b":2}`, false},
		{`{"b":2}`, `{"b":2,"c":3}`, false},
		{`{"b":2}`, `{"b":2`, false},
	} {
		if got := sameBut([]byte(tt.a), []byte(tt.b), about); got != tt.want {
			t.Errorf("%s, %s: %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

// FuzzSplice: whatever an object holds, a change is in the result, all else is as it was, a second time changes nothing.
func FuzzSplice(f *testing.F) {
	for _, s := range []string{
		`{"id":"s","version":2,"archived":false,"custom":{},"title":"x"}`, "{\n  \"title\": \"x\",\n  \"custom\": {}\n}\n", `{}`, ` { "a" : [ 1 ] } `,
		`{"archived":true,"archived":false,"archivedAt":12}`, `{"\u0061rchived":null,"x":"\ud800"}`,
	} {
		f.Add([]byte(s), "a title")
	}
	f.Fuzz(func(t *testing.T, b []byte, title string) {
		changes := []change{{"archived", raw("true")}, {"archivedAt", nil}, {"title", raw(jsonText(title))}}
		got, ok := splice(b, changes)
		if rest, valid := rawjson.Object(b, nil); ok != (valid && rawjson.Blank(rest)) {
			t.Fatalf("%q: %v", b, ok)
		}
		if !ok {
			return
		}
		if !sameBut(b, got, changes) {
			t.Errorf("%q became %q", b, got)
		}
		if ms, _ := membersOf(got); find(ms, "archivedAt") >= 0 || string(got[ms[find(ms, "archived")].value:ms[find(ms, "archived")].end]) != "true" {
			t.Errorf("%q: the change is not in %q", b, got)
		}
		if again, ok := splice(got, changes); !ok || string(again) != string(got) {
			t.Errorf("%q became %q the second time", got, again)
		}
	})
}
