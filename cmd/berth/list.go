package main

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"berth/sessions"

	"github.com/spf13/cobra"
)

// filter is the choice of rows that list and watch share.
type filter struct {
	all     bool
	status  []string
	source  string
	project string
}

func (f *filter) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&f.all, "all", "a", false, "closed and archived sessions too")
	cmd.Flags().StringSliceVar(&f.status, "status", nil, "only these: occupied, stale, active, closed, archived")
	cmd.Flags().StringVar(&f.source, "source", "", "only this kind: kimi, vault")
	cmd.Flags().StringVar(&f.project, "project", "", "only this project, or work folder")
}

// statuses are the words that --status takes.
var statuses = []sessions.Status{sessions.Occupied, sessions.Stale, sessions.Active, sessions.Closed, sessions.Archived}

func (f *filter) check() error {
	for _, s := range f.status {
		if !slices.Contains(statuses, sessions.Status(s)) {
			return usage("--status %q is none of occupied, stale, active, closed, archived", s)
		}
	}
	if f.source != "" && f.source != "kimi" && f.source != "vault" {
		return usage("--source %q is neither kimi nor vault", f.source)
	}
	return nil
}

func (f *filter) keep(s *sessions.Session) bool {
	if len(f.status) > 0 {
		if !slices.Contains(f.status, string(s.Status)) {
			return false
		}
	} else if !f.all && (s.Status == sessions.Closed || s.Status == sessions.Archived) {
		return false
	}
	if f.source != "" && s.Source != f.source {
		return false
	}
	return f.project == "" || strings.EqualFold(s.Project, f.project) || s.WorkDir == f.project
}

func (a *app) listCmd() *cobra.Command {
	var f filter
	var asJSON bool
	var since uint64
	cmd := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List the sessions, the latest activity first", Args: noArgs,
		Example: "  berth list\n  berth list --status stale,occupied\n  berth list --all --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			b, done, err := a.backend(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			v, err := b.View(cmd.Context(), since)
			if err != nil {
				return err
			}
			all := slices.Clone(v.Sessions)
			v.Sessions = slices.DeleteFunc(v.Sessions, func(s *sessions.Session) bool { return !f.keep(s) })
			if asJSON {
				return printJSON(a.stdout, v)
			}
			return a.printList(v, all)
		},
	}
	f.flags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print {revision, sessions[]} as JSON")
	cmd.Flags().Uint64Var(&since, "since-revision", 0, "wait for a snapshot newer than this revision (needs a running service)")
	return cmd
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

func (a *app) printList(v *sessions.View, all []*sessions.Session) error {
	for _, s := range v.Stores {
		if s.Problem != "" {
			fmt.Fprintf(a.stderr, "berth: %s %s: %s\n", s.Source, clean(s.Root), clean(s.Problem))
		}
	}
	if len(v.Sessions) == 0 {
		return a.printEmpty(v, len(all))
	}
	t := a.newTable(2, "ID", "STATUS", "TITLE", "PROJECT", "CLIENT", "ACTIVITY")
	short := nameSessions(all)
	for _, s := range v.Sessions {
		t.add(cell{text: short.of(s)}, cell{statusText(s), statusColour(s.Status)}, cell{text: s.Name()},
			cell{text: place(s)}, cell{text: clientText(s)}, cell{ago(s.UpdatedAt, a.now()), dim})
	}
	return t.print(a.stdout)
}

func (a *app) printEmpty(v *sessions.View, total int) error {
	switch {
	case total > 0:
		fmt.Fprintf(a.stderr, "no session matches; %d do not (--all shows closed and archived ones)\n", total)
	case len(v.Stores) == 0:
		fmt.Fprintln(a.stderr, "no store was found; berth doctor says where it looked")
	default:
		fmt.Fprintln(a.stderr, "no sessions yet; berth doctor says which stores are watched")
	}
	return nil
}

// statusText is the status with the facts that a person should see at once.
func statusText(s *sessions.Session) string {
	text := string(s.Status)
	if s.Status == sessions.Closed && s.StatusWord != "done" {
		text += " (" + s.StatusWord + ")"
	}
	for _, r := range s.Reasons {
		if s.Status == sessions.Stale {
			text += " " + string(r)
		}
	}
	for _, f := range s.AllFacts {
		switch f {
		case sessions.FactAmbiguous, sessions.FactBusy, sessions.FactWaiting, sessions.FactDamaged, sessions.FactDuplicateID,
			sessions.FactTwoWriters:
			text += " " + string(f)
		}
	}
	return text
}

// place is the project, or the name of the work folder.
func place(s *sessions.Session) string {
	if s.Project != "" {
		return s.Project
	}
	if s.WorkDir != "" {
		return filepath.Base(s.WorkDir)
	}
	return "-"
}

// clientText is who has the session now, else who worked in it.
func clientText(s *sessions.Session) string {
	if s.Holder != nil {
		return sessions.HolderName(s.Holder)
	}
	for _, name := range []string{s.ClientName, s.Agent} {
		if name != "" {
			return name
		}
	}
	if s.Source == "kimi" {
		return "kimi"
	}
	return "-"
}
