package localapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net"

	"github.com/Microsoft/go-winio"
)

// pipeName turns the address, a path below the user's own folders, into the name of a pipe.
func pipeName(address string) string {
	sum := sha256.Sum256([]byte(address))
	return `\\.\pipe\berth-` + hex.EncodeToString(sum[:8])
}

// Listen opens a named pipe for address that only this user and the system may open.
func Listen(address string) (net.Listener, error) {
	return winio.ListenPipe(pipeName(address), &winio.PipeConfig{SecurityDescriptor: "D:P(A;;GA;;;OW)(A;;GA;;;SY)"})
}

func dial(ctx context.Context, address string) (net.Conn, error) {
	return winio.DialPipeContext(ctx, pipeName(address))
}
