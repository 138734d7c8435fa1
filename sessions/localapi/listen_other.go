//go:build !windows

package localapi

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
)

// maxSocketPath is what every Unix accepts for a socket's path, in bytes (sockaddr_un, less the final NUL).
const maxSocketPath = 103

// Listen opens the socket at address, private to the user. A socket file that a dead service left there is
// replaced: the caller holds the lock that says no other service runs.
func Listen(address string) (net.Listener, error) {
	if len(address) > maxSocketPath {
		return nil, fmt.Errorf("listen: the socket path %s is longer than %d bytes; set XDG_RUNTIME_DIR to a shorter one",
			address, maxSocketPath)
	}
	if err := os.MkdirAll(filepath.Dir(address), 0o700); err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	if info, err := os.Lstat(address); err == nil && info.Mode().Type() == os.ModeSocket {
		if err := os.Remove(address); err != nil {
			return nil, fmt.Errorf("listen: remove the socket of an ended service: %w", err)
		}
	}
	ln, err := net.Listen("unix", address)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	if err := os.Chmod(address, 0o600); err != nil {
		ln.Close()
		return nil, fmt.Errorf("listen: %w", err)
	}
	return ln, nil
}

func dial(ctx context.Context, address string) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, "unix", address)
}
