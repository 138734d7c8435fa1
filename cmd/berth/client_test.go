package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// actClient is a process that looks and writes like a Kimi client of version 2: its command name, its temp names, its
// appends. It does one turn in the session folder of its argument for each line that it reads, and says when it is done.
func actClient() {
	dir, turn := os.Args[1], 0
	fmt.Println("ready")
	for in := bufio.NewScanner(os.Stdin); in.Scan(); turn++ {
		if err := doTurn(dir, fmt.Sprint(os.Getpid(), turn)); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("done")
	}
}

func doTurn(dir, turn string) error {
	return errors.Join(
		putState(dir, ""), appendWire(dir, `{"type":"turn.prompt","agentId":"main","input":[],"turnId":%s,"time":%d}`, turn),
		putState(dir, "completed"), appendWire(dir, `{"type":"turn.ended","agentId":"main","turnId":%s,"reason":"completed","time":%d}`, turn),
	)
}

// putState replaces the metadata as the client does. Without a reason a turn runs.
func putState(dir, reason string) error {
	if reason != "" {
		reason = fmt.Sprintf(`,"lastTurnReason":%q`, reason)
	}
	now := time.Now()
	state := fmt.Sprintf(`{"id":%q,"version":2,"cwd":%q,"updatedAt":%d,"title":"Fix login"%s}`,
		filepath.Base(dir), filepath.Dir(dir), now.UnixMilli(), reason)
	path := filepath.Join(dir, "state.json")
	temp := fmt.Sprintf("%s.tmp.%d.%08x", path, os.Getpid(), now.Nanosecond())
	return errors.Join(os.WriteFile(temp, []byte(state), 0o600), os.Rename(temp, path))
}

func appendWire(dir, format, turn string) error {
	f, err := os.OpenFile(filepath.Join(dir, "agents", "main", "wire.jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, format+"\n", turn, time.Now().UnixMilli())
	return errors.Join(err, f.Close())
}
