package locks

import (
	"encoding/json"
	"io"
	"os"
)

// maxOwnBytes bounds what is read of a file of ours.
const maxOwnBytes = 1 << 20

// witnessFile is the content of the file of [WithWitnesses].
type witnessFile struct {
	BootID    string    `json:"boot_id"`
	Witnesses []witness `json:"witnesses"`
}

func readOwn(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxOwnBytes))
}

// parseWitnesses returns the witnesses of this boot, none when the file is of another, and false for a
// file that we never wrote like this. Entries that cannot testify are left out.
func parseWitnesses(content []byte, bootID string) (of []witness, ok bool) {
	var file witnessFile
	if json.Unmarshal(content, &file) != nil || file.BootID == "" {
		return nil, false
	}
	if file.BootID != bootID {
		return nil, true
	}
	for _, w := range file.Witnesses {
		if w.Token != "" && usablePID(w.PID) && w.Start != 0 {
			of = append(of, w)
		}
	}
	return of, true
}

func formatWitnesses(all []witness, bootID string) []byte {
	b, err := json.Marshal(witnessFile{BootID: bootID, Witnesses: all})
	if err != nil {
		panic(err) // a time beyond year 9999: clocks do not go there
	}
	return append(b, '\n')
}
