package tray

import (
	"fmt"
	"strings"
)

// Lang is a language of the interface. The zero value is English.
type Lang uint8

// The languages that the table of texts has.
const (
	English Lang = iota
	Chinese      // simplified
)

// LangFromEnv picks the language from the environment: the first of LC_ALL, LC_MESSAGES and LANG that is
// set decides, as in POSIX (Base Definitions, 8.2). Every Chinese locale gives Chinese, all others English.
func LangFromEnv(getenv func(string) string) Lang {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if v := getenv(name); v != "" {
			return langOf(v)
		}
	}
	return English
}

func langOf(locale string) Lang {
	name := strings.ToLower(locale)
	if name == "zh" || strings.HasPrefix(name, "zh_") || strings.HasPrefix(name, "zh-") || strings.HasPrefix(name, "zh.") {
		return Chinese
	}
	return English
}

// Text returns the message m with args put in.
func (l Lang) Text(m Msg, args ...any) string {
	return format(l.phrase(m), args)
}

// Count returns the message m for n things; n is its first argument.
func (l Lang) Count(m Msg, n int) string {
	if l == English && n == 1 && texts[m].one != "" {
		return format(texts[m].one, []any{n})
	}
	return format(l.phrase(m), []any{n})
}

func (l Lang) phrase(m Msg) string {
	if l == Chinese {
		return texts[m].zh
	}
	return texts[m].en
}

func format(phrase string, args []any) string {
	if len(args) == 0 {
		return phrase
	}
	return fmt.Sprintf(phrase, args...)
}
