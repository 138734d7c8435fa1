//go:build unix && !darwin

package desktop

import (
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"
)

const displayTimeout = 3 * time.Second

// CheckDisplay returns ErrNoDisplay, with the reason, when the X server that DISPLAY names does not answer.
// Fyne's driver panics in that case. It is built for X11, so WAYLAND_DISPLAY alone does not help.
func CheckDisplay(getenv func(string) string) error {
	name := getenv("DISPLAY")
	if name == "" {
		return fmt.Errorf("%w: DISPLAY is not set", ErrNoDisplay)
	}
	addrs, err := displayAddrs(name)
	if err != nil {
		return err
	}
	for _, a := range addrs {
		conn, dialErr := net.DialTimeout(a.network, a.addr, displayTimeout)
		if dialErr == nil {
			return conn.Close()
		}
		err = dialErr
	}
	return fmt.Errorf("%w: DISPLAY=%s: %v", ErrNoDisplay, name, err)
}

type displayAddr struct{ network, addr string }

// displayAddrs says where the display "[host]:number[.screen]" listens (X(7), DISPLAY NAMES).
func displayAddrs(name string) ([]displayAddr, error) {
	colon := strings.LastIndexByte(name, ':')
	if colon < 0 {
		return nil, fmt.Errorf("%w: DISPLAY=%s names no server", ErrNoDisplay, name)
	}
	host, rest := name[:colon], name[colon+1:]
	number, _, _ := strings.Cut(rest, ".")
	n, err := strconv.ParseUint(number, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("%w: DISPLAY=%s has no number", ErrNoDisplay, name)
	}
	if host == "" || host == "unix" {
		path := fmt.Sprintf("/tmp/.X11-unix/X%d", n)
		return []displayAddr{{"unix", path}, {"unix", "@" + path}}, nil
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return []displayAddr{{"tcp", net.JoinHostPort(host, strconv.FormatUint(6000+n, 10))}}, nil
}
