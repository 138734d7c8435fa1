// Package locale puts the environment right before Fyne looks at it. Importing it is enough.
package locale

import (
	"os"
	"strings"
)

// The work is done on import because Fyne reads the locale when it is imported itself, and the order of
// initialisation is by import path ("berth/…" before "fyne.io/…") among packages that are ready.
func init() {
	if name, value := Fix(os.Getenv); name != "" {
		os.Setenv(name, value)
	}
}

// Fix returns the variable to set so that Fyne can parse the locale, or "". For LANG=C.UTF-8, the default of
// many servers and containers, Fyne looks up the language "C" and logs an error at each start. LANGUAGE comes
// first in that look-up; programs we start ignore it in such a locale (GNU gettext, 2.3.3), so that their
// character set and language stay what they were.
func Fix(getenv func(string) string) (name, value string) {
	locale := ""
	for _, v := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if locale = getenv(v); locale != "" {
			break
		}
	}
	lang, _, _ := strings.Cut(locale, ".")
	if (lang == "C" || lang == "POSIX") && lang != locale && getenv("LANGUAGE") == "" {
		return "LANGUAGE", "en"
	}
	return "", ""
}
