package tray

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"berth/locks"
	"berth/sessions"
)

// FreshFor is how long after its last activity a matter still asks for attention.
const FreshFor = 72 * time.Hour

// NeedsAttention reports whether somebody should act on s now; the package comment says when.
func NeedsAttention(s *sessions.Session, now time.Time) bool {
	return attentionTag(s, now) != noTag
}

// noTag is no Msg.
const noTag = msgCount

// attentionTag names the most urgent matter in s, or noTag.
func attentionTag(s *sessions.Session, now time.Time) Msg {
	if !isOpen(s) {
		return noTag
	}
	switch {
	case s.Has(sessions.FactWaiting):
		return MsgTagWaiting
	case hasReason(s, sessions.ReasonDeadLock):
		return MsgTagDeadLock
	case s.UpdatedAt.IsZero() || now.Sub(s.UpdatedAt) > FreshFor:
		return noTag
	}
	for _, m := range freshMatters {
		if m.is(s) {
			return m.tag
		}
	}
	return noTag
}

// freshMatters ask for attention only while they are fresh, the most urgent first. A note that was left
// open and is ambiguous too appears among the ambiguous ones, beside those it is confused with.
var freshMatters = []struct {
	tag Msg
	is  func(*sessions.Session) bool
}{
	{MsgTagTwoWriters, hasFact(sessions.FactTwoWriters)},
	{MsgTagInterrupted, func(s *sessions.Session) bool { return hasReason(s, sessions.ReasonInterrupted) }},
	{MsgTagDuplicate, hasFact(sessions.FactDuplicateID)},
	{MsgTagDamaged, hasFact(sessions.FactDamaged)},
	{MsgTagAbandoned, func(s *sessions.Session) bool {
		return hasReason(s, sessions.ReasonAbandoned) && !s.Has(sessions.FactAmbiguous)
	}},
}

func hasFact(f sessions.Fact) func(*sessions.Session) bool {
	return func(s *sessions.Session) bool { return s.Has(f) }
}

func hasReason(s *sessions.Session, r sessions.Reason) bool { return slices.Contains(s.Reasons, r) }

// Glyph is a shape that stands for a Status, so that colour is never the only sign.
type Glyph string

// The glyphs; most fonts have them.
const (
	GlyphWaiting  Glyph = "◆"
	GlyphOccupied Glyph = "●"
	GlyphStale    Glyph = "▲"
	GlyphActive   Glyph = "○"
	GlyphClosed   Glyph = "✓"
	GlyphArchived Glyph = "□"
	GlyphUnknown  Glyph = "?"
)

func glyph(s *sessions.Session) Glyph {
	if isOpen(s) && s.Has(sessions.FactWaiting) {
		return GlyphWaiting
	}
	if g, ok := statusGlyphs[s.Status]; ok {
		return g
	}
	return GlyphUnknown
}

var statusGlyphs = map[sessions.Status]Glyph{
	sessions.Occupied: GlyphOccupied, sessions.Stale: GlyphStale, sessions.Active: GlyphActive,
	sessions.Closed: GlyphClosed, sessions.Archived: GlyphArchived,
}

// statusLabel names a Status; one that this version does not know is shown as it is.
func statusLabel(st sessions.Status, l Lang) string {
	return wordFor(statusMsgs, st, l)
}

// rowStatus is the label of a row: what waits for a person comes before the Status.
func rowStatus(s *sessions.Session, l Lang) string {
	if isOpen(s) && s.Has(sessions.FactWaiting) {
		return l.Text(MsgStatusWaiting)
	}
	return statusLabel(s.Status, l)
}

// wordFor looks up what to say for a code word. One that is not in the table is shown verbatim: a newer
// service may know more words than this tray.
func wordFor[K ~string](table map[K]Msg, code K, l Lang) string {
	if m, ok := table[code]; ok {
		return l.Text(m)
	}
	return string(code)
}

var (
	statusMsgs = map[sessions.Status]Msg{
		sessions.Occupied: MsgStatusOccupied, sessions.Stale: MsgStatusStale, sessions.Active: MsgStatusActive,
		sessions.Closed: MsgStatusClosed, sessions.Archived: MsgStatusArchived,
	}
	reasonMsgs = map[sessions.Reason]Msg{
		sessions.ReasonLock: MsgWhyLock, sessions.ReasonOpenTurn: MsgWhyOpenTurn,
		sessions.ReasonDeadLock: MsgWhyDeadLock, sessions.ReasonInterrupted: MsgWhyInterrupted,
		sessions.ReasonAbandoned: MsgWhyAbandoned,
	}
	reasonTags = map[sessions.Reason]Msg{
		sessions.ReasonDeadLock: MsgTagDeadLock, sessions.ReasonInterrupted: MsgTagInterrupted,
		sessions.ReasonAbandoned: MsgTagAbandoned,
	}
	factMsgs = map[sessions.Fact]Msg{
		sessions.FactAmbiguous: MsgFactAmbiguous, sessions.FactBusy: MsgFactBusy, sessions.FactWaiting: MsgFactWaiting,
		sessions.FactDamaged: MsgFactDamaged, sessions.FactDuplicateID: MsgFactDuplicate,
		sessions.FactTwoWriters: MsgFactTwoWriters, sessions.FactOrphan: MsgFactOrphan,
		sessions.FactNotIndexed: MsgFactNotIndexed, sessions.FactFolderMissing: MsgFactFolderMissing,
		sessions.FactLinked: MsgFactLinked,
	}
	// factTags are in the order of what one wants to know first.
	factTags = []struct {
		fact sessions.Fact
		msg  Msg
	}{
		{sessions.FactTwoWriters, MsgTagTwoWriters}, {sessions.FactDamaged, MsgTagDamaged},
		{sessions.FactDuplicateID, MsgTagDuplicate}, {sessions.FactAmbiguous, MsgTagAmbiguous},
		{sessions.FactFolderMissing, MsgTagFolderMissing}, {sessions.FactBusy, MsgTagBusy},
		{sessions.FactOrphan, MsgTagOrphan}, {sessions.FactLinked, MsgTagLinked},
		{sessions.FactNotIndexed, MsgTagNotIndexed},
	}
	viaMsgs = map[sessions.Via]Msg{
		sessions.ViaLock: MsgViaLock, sessions.ViaTempName: MsgViaTempName, sessions.ViaServer: MsgViaServer,
		sessions.ViaOnlyCandidate: MsgViaOnlyCandidate, sessions.ViaOneOf: MsgViaOneOf,
	}
	verdictMsgs = map[locks.Verdict]Msg{
		locks.Live: MsgVerdictLive, locks.Dead: MsgVerdictDead, locks.Unknown: MsgVerdictUnknown,
	}
	pendingMsgs = map[string]Msg{
		"approval": MsgPendingApproval, "question": MsgPendingQuestion,
	}
	turnMsgs = map[string]Msg{
		"completed": MsgTurnCompleted, "cancelled": MsgTurnCancelled, "failed": MsgTurnFailed,
	}
)

// holderName names who has s in a few words, or is "".
func holderName(h *sessions.Holder, l Lang) string {
	if h == nil {
		return ""
	}
	client := Clean(h.Client)
	switch {
	case h.PID == 0:
		return client
	case client == "":
		return l.Text(MsgOnlyPID, h.PID)
	}
	return l.Text(MsgPID, client, h.PID)
}

// clientName is who works, or last worked, in s.
func clientName(s *sessions.Session) string {
	switch {
	case s.Holder != nil && s.Holder.Client != "":
		return Clean(s.Holder.Client)
	case s.ClientName != "":
		return Clean(s.ClientName)
	}
	return Clean(s.Agent)
}

// place is what a person calls the place of s: its project, else the last part of its folder.
func place(s *sessions.Session) string {
	switch {
	case s.Project != "":
		return Clean(s.Project)
	case s.WorkDir != "":
		return Clean(filepath.Base(s.WorkDir))
	}
	return ""
}

// title is the name of s on one line; a nameless one is called by the last part of its path.
func title(s *sessions.Session) string {
	if t := Clean(s.Title); t != "" {
		return t
	}
	if s.ID != "" {
		return Clean(s.ID)
	}
	return Clean(strings.TrimSuffix(filepath.Base(s.Path), ".md"))
}

// ago says how long before now t was; beyond a week, and for times in the future, it says the date. A zero
// t gives "".
func ago(t, now time.Time, l Lang) string {
	d := now.Sub(t)
	switch {
	case t.IsZero():
		return ""
	case d < -time.Minute, d >= 7*24*time.Hour:
		return t.In(now.Location()).Format(time.DateOnly)
	case d < time.Minute:
		return l.Text(MsgJustNow)
	case d < time.Hour:
		return l.Count(MsgMinutesAgo, int(d/time.Minute))
	case d < 24*time.Hour:
		return l.Count(MsgHoursAgo, int(d/time.Hour))
	}
	return l.Count(MsgDaysAgo, int(d/(24*time.Hour)))
}

// moment says when t was, exactly and in words.
func moment(t, now time.Time, l Lang) string {
	if t.IsZero() {
		return ""
	}
	exact, rel := t.In(now.Location()).Format("2006-01-02 15:04:05"), ago(t, now, l)
	if strings.HasPrefix(exact, rel) {
		return exact
	}
	return exact + "  (" + rel + ")"
}
