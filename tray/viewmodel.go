package tray

import (
	"maps"
	"slices"
	"strings"
)

// ViewModel is everything on screen at one moment, as plain data.
type ViewModel struct {
	Menu    MenuSpec
	Icon    IconState
	Tooltip string
	Window  Window
}

// IconState is the worst of all Sessions' states. Each has a shape of its own.
type IconState uint8

// The states of the icon, the worst last.
const (
	IconQuiet IconState = iota
	IconOccupied
	IconAttention
	IconOffline
)

// String names the state as the icon files do.
func (s IconState) String() string {
	return [...]string{"quiet", "occupied", "attention", "offline"}[s]
}

// Window is the content of the window.
type Window struct {
	List     List
	Filter   Filter   // what List was filtered by
	Sources  []string // choices for Filter.Source
	Projects []string // choices for Filter.Project
	Selected string   // path; "" when nothing is selected or it went away
	Details  Details
	Status   string // the line at the bottom
	Offline  bool
	Empty    Empty // shown in place of an empty List
}

// Empty says why there is nothing to show, and what to do about it.
type Empty struct{ Title, Hint string }

// Build works out what to show. It is pure, and takes time proportional to the number of Sessions.
func Build(in Input) ViewModel {
	v := look(in)
	d := details(v.selected, in)
	return ViewModel{
		Menu:    buildMenu(v, in.Lang, in.Now.Location()),
		Icon:    iconState(v, in.Connection),
		Tooltip: tooltip(v, in),
		Window: Window{
			List:     List{rows: v.found, now: in.Now, lang: in.Lang},
			Filter:   in.Filter,
			Sources:  slices.Sorted(maps.Keys(v.sources)),
			Projects: slices.SortedFunc(maps.Keys(v.projects), strings.Compare),
			Selected: d.Path, Details: d,
			Status: statusLine(v, in), Offline: in.Connection == Offline,
			Empty: emptyState(v, in),
		},
	}
}

func iconState(v *survey, c Connection) IconState {
	switch {
	case c == Offline:
		return IconOffline
	case v.attention.count > 0:
		return IconAttention
	case v.occupied.count > 0:
		return IconOccupied
	}
	return IconQuiet
}

// tooltip is "berth: 1 needs attention, 3 occupied, 2 ambiguous".
func tooltip(v *survey, in Input) string {
	l := in.Lang
	if in.Connection == Offline {
		return "berth: " + strings.Join(nonEmpty(l.Text(MsgTipOffline), Clean(in.Problem)), ", ")
	}
	var parts []string
	for _, p := range []struct {
		n int
		m Msg
	}{
		{v.attention.count, MsgTipAttention}, {v.occupied.count, MsgTipOccupied}, {v.ambiguous.count, MsgTipAmbiguous},
	} {
		if p.n > 0 {
			parts = append(parts, l.Count(p.m, p.n))
		}
	}
	if len(parts) == 0 {
		parts = []string{l.Text(MsgTipQuiet), l.Count(MsgSessions, v.total)}
	}
	return "berth: " + strings.Join(parts, ", ")
}

// statusLine says how many are shown of how many, how they are watched, and how new that is.
func statusLine(v *survey, in Input) string {
	l := in.Lang
	parts := []string{l.Text(MsgShown, len(v.found), v.total)}
	switch in.Connection {
	case OwnService:
		parts = append(parts, l.Text(MsgOwnService))
	case RemoteService:
		parts = append(parts, l.Text(MsgRemoteService))
	case Offline:
		parts = append(parts, l.Text(MsgOffline, Clean(in.Problem)))
	}
	parts = append(parts, cleanAll(in.Coverage)...)
	for _, s := range in.Stores {
		if s.Problem != "" {
			parts = append(parts, Clean(s.Root+": "+s.Problem))
		}
	}
	if in.Revision > 0 {
		parts = append(parts, l.Text(MsgRevision, in.Revision))
	}
	return strings.Join(parts, "  ·  ")
}

func emptyState(v *survey, in Input) Empty {
	l := in.Lang
	switch {
	case len(v.found) > 0:
		return Empty{}
	case v.total > 0 && in.Filter == Filter{}:
		return Empty{l.Text(MsgEmptyOpen), l.Text(MsgEmptyOpenHint, v.total)}
	case v.total > 0:
		return Empty{l.Text(MsgEmptyFilter), l.Text(MsgEmptyFilterHint)}
	case in.Connection == Offline:
		return Empty{l.Text(MsgEmptyOffline), l.Text(MsgEmptyOfflineHint, Clean(in.Problem))}
	case in.Connection == Connecting:
		return Empty{l.Text(MsgEmptyLoading), l.Text(MsgEmptyLoadingHint)}
	case len(in.Stores) == 0:
		return Empty{l.Text(MsgEmptyStores), l.Text(MsgEmptyStoresHint)}
	}
	roots := make([]string, len(in.Stores))
	for i, s := range in.Stores {
		roots[i] = Clean(s.Root)
	}
	return Empty{l.Text(MsgEmptySessions), l.Text(MsgEmptySessionsHint, strings.Join(roots, "\n"))}
}
