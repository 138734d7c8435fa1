package rawjson

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestObject(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []string // key=value
		rest     string
		ok       bool
	}{
		{"empty", `{}`, nil, "", true},
		{"members in order", ` {"a":1, "b" : [ {"c":2} ] ,"a":"x\"y"} `, []string{`a=1`, `b=[ {"c":2} ]`, `a="x\"y"`}, " ", true},
		{"two objects on one line (B01)", `{"a":1}{"b":2}`, []string{`a=1`}, `{"b":2}`, true},
		{"cut in a key", `{"type":"x","ag`, []string{`type="x"`}, "", false},
		{"cut in a string", `{"type":"context.app`, nil, "", false},
		{"cut in an escape", `{"a":"\u00`, nil, "", false},
		{"fused records (B02)", `{"type":"t","out":"ab{"type":"t"}`, []string{`type="t"`, `out="ab{"`}, "", false},
		{"NUL in a string (B04)", "{\"a\":\"b\x00c\"}", nil, "", false},
		{"escaped NUL is legal (B07)", `{"a":"\u0000"}`, []string{`a="\u0000"`}, "", true},
		{"no comma", `{"a":1 "b":2}`, []string{`a=1`}, "", false},
		{"an array", `[1]`, nil, "", false},
		{"nothing", ``, nil, "", false},
		{"leading zero", `{"a":01}`, []string{`a=0`}, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			rest, ok := Object([]byte(c.in), func(k, v []byte) { got = append(got, string(k)+"="+string(v)) })
			if !slices.Equal(got, c.want) || ok != c.ok || ok && string(rest) != c.rest {
				t.Errorf("got %q, rest %q, %v", got, rest, ok)
			}
		})
	}
}

func TestDeepNestingEnds(t *testing.T) {
	in := `{"a":` + strings.Repeat(`[`, 1e6)
	if _, ok := Object([]byte(in), nil); ok {
		t.Error("a million open brackets were accepted")
	}
}

func TestElements(t *testing.T) {
	var got []string
	Elements([]byte(` [ 1, {"a":[2]} ,"x" ] `), func(v []byte) bool {
		got = append(got, string(v))
		return true
	})
	if want := []string{`1`, `{"a":[2]}`, `"x"`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestString(t *testing.T) {
	for in, want := range map[string]string{
		`"plain"`: "plain", `"a\nb\u00e9"`: "a\nbé", `12`: "", `null`: "", ``: "", "\"\xff\"": "\uFFFD",
	} {
		if got := String([]byte(in)); got != want {
			t.Errorf("String(%s) = %q, want %q", in, got, want)
		}
	}
}

func TestPrefix(t *testing.T) {
	for _, c := range []struct {
		in   string
		max  int
		want string
		more bool
	}{
		{`"short"`, 10, "short", false},
		{`"` + strings.Repeat("x", 30) + `"`, 10, strings.Repeat("x", 10), true},
		{`"abcdefghij\u00e9klmnop"`, 13, "abcdefghij", true},
		{`"abcdefgh\\\\\\\\klmnop"`, 11, "abcdefgh", true},
		{`"ab` + strings.Repeat("é", 20) + `"`, 5, "abé", true},
		{`"` + strings.Repeat(`\ud83d\ude00`, 20) + `"`, 30, "😀😀", true},
	} {
		got, more := Prefix([]byte(c.in), c.max)
		if !strings.HasPrefix(got, c.want) && !strings.HasPrefix(c.want, got) || more != c.more {
			t.Errorf("Prefix(%s, %d) = %q, %v, want %q, %v", c.in, c.max, got, more, c.want, c.more)
		}
	}
}

func TestIntAndTime(t *testing.T) {
	for in, want := range map[string]int{`0`: 0, `12`: 12, `"3"`: 3, `-1`: -1} {
		if got, ok := Int([]byte(in)); got != want || !ok {
			t.Errorf("Int(%s) = %d, %v", in, got, ok)
		}
	}
	for _, in := range []string{``, `"x"`, `1.5`, `null`, `""`, `"`} {
		if got, ok := Int([]byte(in)); ok {
			t.Errorf("Int(%s) = %d, want nothing", in, got)
		}
	}
	moment := time.Date(2026, 11, 29, 15, 42, 28, 68e6, time.UTC)
	for in, want := range map[string]time.Time{
		`"2026-11-29T15:42:28.068Z"`: moment, `1795966948068`: moment, `"2026-11-29T16:42:28.068+01:00"`: moment,
		`0`: {}, `-5`: {}, `1e300`: {}, `null`: {}, `"yesterday"`: {}, ``: {},
	} {
		if got := Time([]byte(in)); !got.Equal(want) {
			t.Errorf("Time(%s) = %v, want %v", in, got, want)
		}
	}
}

// FuzzObject holds the walker against encoding/json: the same texts are accepted, with the same members.
func FuzzObject(f *testing.F) {
	for _, s := range []string{
		`{}`, `{"a":1,"b":[true,false,null,-0.5e+3]}`, `{"a":"\u12aF\n\\"}`, `{"a":{"b":{}}}`, `{"a":1}{"b":2}`,
		`{"type":"context.app`, "{\"a\":\"\x00\"}", `{"":""}`, `{"a":[1,]}`, `{"a":1,}`, `{"a" 1}`, `{"a":"` + "\xff\xff" + `"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got := map[string]any{}
		rest, ok := Object(b, func(k, v []byte) {
			var val any
			if err := json.Unmarshal(v, &val); err != nil {
				t.Fatalf("member %q is handed out with the value %q: %v", k, v, err)
			}
			got[String([]byte(`"`+string(k)+`"`))] = val
		})
		whole := b
		if ok {
			whole = b[:len(b)-len(rest)]
		}
		var want map[string]any
		err := json.Unmarshal(whole, &want)
		isObject := bytes.HasPrefix(bytes.TrimLeft(whole, " \t\r\n"), []byte("{"))
		if ok != (err == nil && isObject) && !strings.Contains(string(b), strings.Repeat("[", 200)) {
			t.Fatalf("accepted = %v, but encoding/json says %v", ok, err)
		}
		if ok && !reflect.DeepEqual(got, want) {
			t.Fatalf("members %v, want %v", got, want)
		}
	})
}

// FuzzPrefix checks that a cut string is decoded to a prefix of the whole.
func FuzzPrefix(f *testing.F) {
	f.Add("a\\b\"c\u00e9😀 and so on, and on, and on", 7)
	f.Fuzz(func(t *testing.T, s string, max int) {
		if max < 0 || max > 1<<16 {
			return
		}
		v, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		whole := String(v)
		if got, _ := Prefix(v, max); !strings.HasPrefix(whole, got) {
			t.Fatalf("Prefix(%s, %d) = %q is no prefix of %q", v, max, got, whole)
		}
	})
}

func BenchmarkObject(b *testing.B) {
	line := []byte(`{"type":"context.append_loop_event","agentId":"main","event":{"type":"step.end","uuid":"ea16a62b-06b7-40b3-b3bf-72586867ff97","turnId":"1","step":1,"finishReason":"tool_use","usage":{"inputOther":2195,"output":12,"inputCacheRead":0,"inputCacheCreation":0},"llmFirstTokenLatencyMs":7},"time":1795966954738}`)
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		Object(line, func(k, v []byte) { n += len(v) })
	}
}
