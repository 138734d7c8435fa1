// Tally reads what "go test -json" prints, on standard input, and says what a person wants to know: one
// line a package, the whole output of what failed, the reason of what was skipped, and the counts.
//
//	go test -json ./... | tally -o FILE
//
// FILE receives "passed skipped failed" as three numbers, for a caller that adds several runs up. Tests
// and subtests both count, and so does a package that fails without a failing test (it does not build,
// it ends early). The exit code is 1 when something failed or when nothing ran at all.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	out := flag.String("o", "", "write the three counts to this file")
	flag.Parse()
	c, err := run(os.Stdin, os.Stdout)
	if err == nil && *out != "" {
		err = os.WriteFile(*out, fmt.Appendln(nil, c.Passed, c.Skipped, c.Failed), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tally:", err)
		os.Exit(1)
	}
	if c.Failed > 0 || c.Passed+c.Skipped == 0 {
		os.Exit(1)
	}
}

// run copies the report about the events in r to w and returns the counts. A line that is no event
// (the go command prints some as plain text) is passed through.
func run(r io.Reader, w io.Writer) (Counts, error) {
	t := newTally(w)
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		var e event
		switch {
		case len(line) == 0:
		case json.Unmarshal(line, &e) != nil || e.Action == "":
			fmt.Fprintf(w, "%s\n", trimNewline(line))
		default:
			t.add(e)
		}
		if err == io.EOF {
			fmt.Fprintln(w, t.Counts)
			return t.Counts, nil
		}
		if err != nil {
			return t.Counts, fmt.Errorf("read test events: %w", err)
		}
	}
}

func trimNewline(b []byte) []byte {
	if n := len(b); n > 0 && b[n-1] == '\n' {
		return b[:n-1]
	}
	return b
}
