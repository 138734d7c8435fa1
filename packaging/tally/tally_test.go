package main

import (
	"strings"
	"testing"
)

func TestRunCountsAndReports(t *testing.T) {
	tests := []struct {
		name   string
		events []string
		want   Counts
		shows  []string
		hides  []string
	}{
		{
			name: "a test and its subtest pass",
			events: []string{
				`{"Action":"output","Package":"p","Test":"TestA/x","Output":"chatter\n"}`,
				`{"Action":"pass","Package":"p","Test":"TestA/x"}`,
				`{"Action":"pass","Package":"p","Test":"TestA"}`,
				`{"Action":"pass","Package":"p","Elapsed":1.25}`,
			},
			want:  Counts{Passed: 2},
			shows: []string{"ok    p 1.2s", "2 passed, 0 skipped, 0 failed"},
			hides: []string{"chatter"},
		},
		{
			name: "a failing test is shown whole, a passing neighbour is not",
			events: []string{
				`{"Action":"output","Package":"p","Test":"TestGood","Output":"quiet please\n"}`,
				`{"Action":"pass","Package":"p","Test":"TestGood"}`,
				`{"Action":"output","Package":"p","Test":"TestBad","Output":"got 1\n"}`,
				`{"Action":"output","Package":"p","Test":"TestBad","Output":"want 2\n"}`,
				`{"Action":"fail","Package":"p","Test":"TestBad"}`,
				`{"Action":"output","Package":"p","Output":"exit status 1\n"}`,
				`{"Action":"fail","Package":"p"}`,
			},
			want:  Counts{Passed: 1, Failed: 1},
			shows: []string{"FAIL  p TestBad\ngot 1\nwant 2\n", "exit status 1"},
			hides: []string{"quiet please"},
		},
		{
			name: "a skipped test says why",
			events: []string{
				`{"Action":"output","Package":"p","Test":"TestNet","Output":"=== RUN   TestNet\n"}`,
				`{"Action":"output","Package":"p","Test":"TestNet","Output":"    net_test.go:9: no network\n"}`,
				`{"Action":"output","Package":"p","Test":"TestNet","Output":"--- SKIP: TestNet (0.00s)\n"}`,
				`{"Action":"skip","Package":"p","Test":"TestNet"}`,
			},
			want:  Counts{Skipped: 1},
			shows: []string{"skip  p TestNet: net_test.go:9: no network\n"},
		},
		{
			name: "a package that does not build counts once",
			events: []string{
				`{"ImportPath":"p [p.test]","Action":"build-output","Output":"p.go:3: undefined: x\n"}`,
				`{"ImportPath":"p [p.test]","Action":"build-fail"}`,
				`{"Action":"fail","Package":"p","FailedBuild":"p [p.test]"}`,
			},
			want:  Counts{Failed: 1},
			shows: []string{"p.go:3: undefined: x\n"},
		},
		{
			name: "a panic fails the test that ran",
			events: []string{
				`{"Action":"output","Package":"p","Test":"TestBoom","Output":"panic: boom\n"}`,
				`{"Action":"fail","Package":"p"}`,
			},
			want:  Counts{Failed: 1},
			shows: []string{"FAIL  p TestBoom\npanic: boom\n"},
		},
		{
			name:   "plain text passes through",
			events: []string{`warning: not json`, `{"Action":"skip","Package":"p"}`},
			shows:  []string{"warning: not json\n"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			got, err := run(strings.NewReader(strings.Join(tt.events, "\n")), &out)
			if err != nil || got != tt.want {
				t.Errorf("run = %v, %v, want %v", got, err, tt.want)
			}
			for _, s := range tt.shows {
				if !strings.Contains(out.String(), s) {
					t.Errorf("report lacks %q:\n%s", s, &out)
				}
			}
			for _, s := range tt.hides {
				if strings.Contains(out.String(), s) {
					t.Errorf("report shows %q:\n%s", s, &out)
				}
			}
		})
	}
}

func FuzzRun(f *testing.F) {
	f.Add(`{"Action":"fail","Package":"p"}` + "\n" + `{"Action":"output","Package":"p","Test":"T","Output":"x"}`)
	f.Add("\n\n{}\n")
	f.Fuzz(func(t *testing.T, events string) {
		var out strings.Builder
		c, err := run(strings.NewReader(events), &out)
		if err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(events, "\n") + 1; c.Passed+c.Skipped+c.Failed > lines {
			t.Errorf("%v from %d lines", c, lines)
		}
	})
}
