package localapi

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"

	"berth/sessions"
	"berth/watcher"
)

// pieceBytes is how much of a View is in memory at once.
const pieceBytes = 64 << 10

// writeEnvelope writes env as JSON, a View in it row by row: ten thousand sessions in one piece would be the largest
// thing that the service ever has in memory.
func writeEnvelope(w io.Writer, env envelope) error {
	v, ok := env.Data.(*sessions.View)
	if !ok || v == nil {
		return json.NewEncoder(w).Encode(env)
	}
	env.Data = nil
	head, err := json.Marshal(env)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, pieceBytes)
	out.Write(bytes.TrimSuffix(head, []byte("}")))
	out.WriteString(`,"data":`)
	if err := writeView(out, v); err != nil {
		return err
	}
	out.WriteString("}\n")
	return out.Flush()
}

// writeView writes v as json.Marshal would. bufio keeps the first error of a write for Flush.
func writeView(out *bufio.Writer, v *sessions.View) error {
	out.WriteString(`{"sessions":[`)
	for i, row := range v.Sessions {
		if i > 0 {
			out.WriteByte(',')
		}
		b, err := json.Marshal(row)
		if err != nil {
			return err
		}
		out.Write(b)
	}
	rest, err := json.Marshal(struct {
		Revision uint64               `json:"revision"`
		Stores   []sessions.Store     `json:"stores,omitempty"`
		Coverage []watcher.RootStatus `json:"coverage,omitempty"`
	}{v.Revision, v.Stores, v.Coverage})
	if err != nil {
		return err
	}
	out.WriteString("],")
	out.Write(rest[1:])
	return nil
}
