package locks

import "testing"

const ioText = "rchar: 6976\nwchar: 1234567\nsyscr: 10\nsyscw: 3\nread_bytes: 0\nwrite_bytes: 4096\ncancelled_write_bytes: 0\n"

func TestParseIO(t *testing.T) {
	tests := []struct {
		name, text string
		want       uint64
		ok         bool
	}{
		{"a kernel's text", ioText, 1234567, true},
		{"nothing written", "wchar: 0\n", 0, true},
		{"cut before the value", "rchar: 1\nwchar: ", 0, false},
		{"without the line", "rchar: 1\n", 0, false},
		{"empty", "", 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := parseIO([]byte(tt.text)); got != tt.want || (err == nil) != tt.ok {
				t.Errorf("got %d, %v", got, err)
			}
		})
	}
}

func FuzzParseIO(f *testing.F) {
	f.Add([]byte(ioText))
	f.Add([]byte("wchar:"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if n, err := parseIO(b); err != nil && n != 0 {
			t.Errorf("%d with %v", n, err)
		}
	})
}
