//go:build !linux && !darwin && !windows

package locks

import "time"

func bootID() string { return "" }

func bootTime() time.Time { return time.Time{} }

func pidNamespace() string { return "" }

func sandboxed() bool { return false }

func sharedName() bool { return true }

func watchClock() func() bool { return nil }

func processFacts(int, time.Time) ProcessFacts { return ProcessFacts{UID: -1, EUID: -1} }

func innerProcesses() map[int][]innerProcess { return nil }

func (s *System) scanClients() []Client { return nil }

func (s *System) examine(int) (Client, bool) { return Client{}, false }
