package tray

import (
	"fmt"
	"strings"
	"testing"

	"berth/sessions"
)

func TestPreview(t *testing.T) {
	for _, tt := range []struct {
		name, before, after, want string
	}{
		{"nothing", "a\n", "a\n", ""},
		{"a status and an end", "---\nstatus: active\n---\n\ttext\n", "---\nstatus: done\n---\n\ttext\n## End\n", `
3|⋯
0|  ---
1|- status: active
2|+ status: done
0|  ---
0|      text
2|+ ## End`},
		{"lines that look like signs", "- a\n+ b\n", "- a\n- c\n", `
3|⋯
0|  - a
1|- + b
2|+ - c`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, d := range Preview(&sessions.Edit{Before: []byte(tt.before), After: []byte(tt.after)}) {
				got = append(got, fmt.Sprintf("%d|%s", d.Op, d.Text))
			}
			if text := strings.Join(got, "\n"); text != strings.TrimPrefix(tt.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", text, tt.want)
			}
		})
	}
}
