package tray

import (
	"reflect"
	"regexp"
	"testing"
	"unicode"
)

func TestLangFromEnv(t *testing.T) {
	for _, tt := range []struct {
		name string
		env  map[string]string
		want Lang
	}{
		{"nothing set", nil, English},
		{"Chinese", map[string]string{"LANG": "zh_CN.UTF-8"}, Chinese},
		{"Chinese without a country", map[string]string{"LANG": "zh"}, Chinese},
		{"another script is still nearer than English", map[string]string{"LANG": "zh-Hant-TW"}, Chinese},
		{"the containers' default", map[string]string{"LANG": "C.UTF-8"}, English},
		{"LC_MESSAGES before LANG", map[string]string{"LC_MESSAGES": "zh_CN.UTF-8", "LANG": "de_DE.UTF-8"}, Chinese},
		{"LC_ALL before LC_MESSAGES", map[string]string{"LC_ALL": "en_US.UTF-8", "LC_MESSAGES": "zh_CN.UTF-8"}, English},
		{"an empty variable does not count", map[string]string{"LC_ALL": "", "LANG": "zh_SG"}, Chinese},
		{"a language that begins alike", map[string]string{"LANG": "zha_CN"}, English},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := LangFromEnv(func(k string) string { return tt.env[k] }); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

var verb = regexp.MustCompile(`%[a-z]`)

// Every text is there in both languages, and takes the same arguments in the same order.
func TestEveryTextIsInBothLanguages(t *testing.T) {
	for m, p := range texts {
		if p.en == "" || p.zh == "" {
			t.Errorf("message %d: en %q, zh %q", m, p.en, p.zh)
			continue
		}
		if en, zh := verb.FindAllString(p.en, -1), verb.FindAllString(p.zh, -1); !reflect.DeepEqual(en, zh) {
			t.Errorf("%q takes %v, %q takes %v", p.en, en, p.zh, zh)
		}
		if one := verb.FindAllString(p.one, -1); p.one != "" && !reflect.DeepEqual(one, verb.FindAllString(p.en, -1)) {
			t.Errorf("%q takes %v", p.one, one)
		}
		if !hasHan(p.zh) {
			t.Errorf("%q is not Chinese", p.zh)
		}
		if hasHan(p.en) {
			t.Errorf("%q is not English", p.en)
		}
	}
}

func hasHan(s string) bool {
	for _, r := range s {
		if unicode.Is(unicode.Han, r) {
			return true
		}
	}
	return false
}

func TestCount(t *testing.T) {
	for _, tt := range []struct {
		lang Lang
		n    int
		want string
	}{
		{English, 0, "0 sessions"},
		{English, 1, "1 session"},
		{English, 2, "2 sessions"},
		{Chinese, 1, "1 个会话"},
		{Chinese, 2, "2 个会话"},
	} {
		if got := tt.lang.Count(MsgSessions, tt.n); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
