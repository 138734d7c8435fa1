//go:build !linux

package locks

import "context"

func (s *System) awaitExit(ctx context.Context, id Identity) error {
	return pollExit(ctx, func() Verdict { return s.Alive(id) })
}
