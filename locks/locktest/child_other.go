//go:build !linux

package locktest

import (
	"errors"
	"io"
	"os/exec"
	"testing"
)

func (r role) isolate(*exec.Cmd) {}

func skipWithoutNamespaces(testing.TB, role, error) {}

func setTitle(string) error { return errors.ErrUnsupported }

func playOnWithoutMainThread(io.Reader, io.Writer) error { return errors.ErrUnsupported }
