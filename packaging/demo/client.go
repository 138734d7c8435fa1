package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// clientName is the name of a client process of the demo: that of a real client, by which berth knows
// it. The demo starts itself again under this name.
const clientName = "kimi-code"

// isClient reports whether this process was started to be a client.
func isClient(argv0 string) bool {
	name := filepath.Base(argv0)
	return name == clientName || name == clientName+".exe"
}

// order tells a client what to do next; the client answers each with a reply. Both are one JSON object
// a line.
type order struct {
	Do      string // a key of deeds
	Session string // id
	Text    string // prompt, question or answer
}

type reply struct {
	Error string // empty when it worked
}

// deeds are all that a client of the demo can do.
var deeds = map[string]func(s session, text string, now time.Time) error{
	"take":    func(s session, _ string, now time.Time) error { return s.take(now) },
	"release": func(s session, _ string, _ time.Time) error { return s.release() },
	"begin":   session.begin,
	"ask":     session.ask,
	"answer":  session.answer,
	"end":     func(s session, _ string, now time.Time) error { return s.end(now) },
	"archive": func(s session, _ string, now time.Time) error { return s.archive(now) },
}

// serveOrders is the life of a client: it works in its current folder on the home that KIMI_CODE_HOME
// names, like the real one, and ends with its input, so none outlives the demo.
func serveOrders(in io.Reader, out io.Writer) error {
	workDir, err := os.Getwd()
	if err != nil {
		return err
	}
	orders, replies := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var o order
		if err := orders.Decode(&o); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("read order: %w", err)
		}
		s := session{home: os.Getenv("KIMI_CODE_HOME"), id: o.Session, workDir: workDir, pid: os.Getpid()}
		if err := replies.Encode(obey(s, o)); err != nil {
			return fmt.Errorf("write reply: %w", err)
		}
	}
}

func obey(s session, o order) reply {
	deed := deeds[o.Do]
	if deed == nil {
		return reply{Error: fmt.Sprintf("unknown order %q", o.Do)}
	}
	if err := deed(s, o.Text, time.Now()); err != nil {
		return reply{Error: err.Error()}
	}
	return reply{}
}
