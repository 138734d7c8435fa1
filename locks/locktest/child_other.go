//go:build !linux

package locktest

import (
	"errors"
	"io"
)

func setTitle(string) error { return errors.ErrUnsupported }

func playOnWithoutMainThread(io.Reader, io.Writer) error { return errors.ErrUnsupported }
