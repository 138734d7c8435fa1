package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"berth/locks"
	"berth/sessions"
	"berth/sessions/localapi"

	"github.com/spf13/cobra"
)

func (a *app) stopCmd() *cobra.Command {
	var r sessions.StopRequest
	cmd := &cobra.Command{
		Use: "stop ID", Short: "Ask the process that has a session to end", Args: oneID,
		Long: `Show who has the session, ask that process to end (SIGTERM), wait for it, and say what became of it. Its identity
is proved again right before the signal. A Kimi server is asked to abort the turn; --server ends the server, with
every session that is open in it. A process of another user, of another host, or one that is no client is never signalled.

A process that is still running after ten seconds is killed only when you say so on a terminal: what it had not
saved is lost then.`,
		Example: "  berth stop 3f2a\n  berth stop 3f2a --server",
		RunE: func(cmd *cobra.Command, args []string) error {
			b, done, err := a.backend(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			v, err := b.View(cmd.Context(), 0)
			if err != nil {
				return err
			}
			s, err := v.Find(args[0])
			if err != nil {
				return err
			}
			r.Ref = s.Path
			if s.Holder != nil {
				r.PID = s.Holder.PID
			}
			return a.stop(cmd.Context(), b, s, r)
		},
	}
	cmd.Flags().BoolVar(&r.Force, "force", false, "also a process that is only likely the one that has the session")
	cmd.Flags().BoolVar(&r.Server, "server", false, "end a whole Kimi server instead of aborting the turn in it")
	return cmd
}

func (a *app) stop(ctx context.Context, b localapi.Backend, s *sessions.Session, r sessions.StopRequest) error {
	if s.Holder != nil {
		row := sessions.LockRow{SessionID: s.ID, Title: s.Name(), Holder: s.Holder, Evidence: s.Holder.Evidence}
		if err := a.printLocks([]sessions.LockRow{row}); err != nil {
			return err
		}
	}
	out, err := b.Stop(ctx, r)
	if err != nil {
		return err
	}
	if out.Stopped != nil && out.Stopped.Result == locks.StillRunning {
		if !a.confirm(out.String() + ". Kill it? What it has not saved is lost. [y/N] ") {
			return &sessions.Error{Err: sessions.ErrOccupied, Session: s.Name(), Detail: out.String(),
				Hint: "wait, or end it yourself"}
		}
		r.Asked = out.Stopped
		if out, err = b.Stop(ctx, r); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(a.stdout, clean(out.String()))
	return err
}

// confirm asks on a terminal; without one, or without a clear yes, the answer is no.
func (a *app) confirm(question string) bool {
	if _, is := terminalOf(a.stdin); !is {
		return false
	}
	fmt.Fprint(a.stderr, clean(question))
	answer, err := bufio.NewReader(a.stdin).ReadString('\n')
	return (err == nil || err == io.EOF) && strings.HasPrefix(strings.ToLower(strings.TrimSpace(answer)), "y")
}
