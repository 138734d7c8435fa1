//go:build !linux

package locktest

import (
	"errors"
	"io"
	"os/exec"
	"testing"
)

func (r role) isolate(*exec.Cmd) {}

func (s Space) enter() error {
	if s != (Space{}) {
		return errors.ErrUnsupported
	}
	return nil
}

func skipWithoutNamespaces(testing.TB, error) {}

func setTitle(string) error { return errors.ErrUnsupported }

func playOnWithoutMainThread(io.Reader, io.Writer) error { return errors.ErrUnsupported }
