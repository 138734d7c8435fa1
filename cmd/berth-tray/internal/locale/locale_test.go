package locale

import "testing"

func TestFix(t *testing.T) {
	for _, tt := range []struct {
		name string
		env  map[string]string
		want string
	}{
		{"nothing set", nil, ""},
		{"the default of containers", map[string]string{"LANG": "C.UTF-8"}, "en"},
		{"plain C is known to Fyne", map[string]string{"LANG": "C"}, ""},
		{"POSIX with a character set", map[string]string{"LANG": "POSIX.utf8"}, "en"},
		{"a real language", map[string]string{"LANG": "zh_CN.UTF-8"}, ""},
		{"LC_ALL comes first", map[string]string{"LC_ALL": "C.UTF-8", "LANG": "de_DE.UTF-8"}, "en"},
		{"LC_MESSAGES before LANG", map[string]string{"LC_MESSAGES": "de_DE.UTF-8", "LANG": "C.UTF-8"}, ""},
		{"the user's own LANGUAGE stays", map[string]string{"LANG": "C.UTF-8", "LANGUAGE": "fr"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			name, value := Fix(func(k string) string { return tt.env[k] })
			if value != tt.want || (name == "LANGUAGE") != (tt.want != "") {
				t.Errorf("got %q=%q, want value %q", name, value, tt.want)
			}
		})
	}
}
