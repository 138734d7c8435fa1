package tray

import (
	"path/filepath"

	"berth/locks"
	"berth/sessions"
)

// Action is a button of the details: whether it can be pressed, and if not, why.
type Action struct {
	Kind    ActionKind
	Label   string
	Enabled bool
	Why     string // a sentence when not Enabled, else ""
}

// ActionKind is what an Action does.
type ActionKind uint8

// The actions, in the order of the buttons.
const (
	ActionResume ActionKind = iota
	ActionClose
	ActionOpenFolder
	ActionCopyID
)

func actions(s *sessions.Session, c Connection, l Lang) []Action {
	return []Action{
		action(ActionResume, MsgResume, whyNoResume(s, c, l), l),
		action(ActionClose, MsgClose, whyNoClose(s, c, l), l),
		action(ActionOpenFolder, MsgOpenFolder, whyNoFolder(s, l), l),
		action(ActionCopyID, MsgCopyID, whyNoID(s, l), l),
	}
}

func action(k ActionKind, label Msg, why string, l Lang) Action {
	return Action{Kind: k, Label: l.Text(label), Enabled: why == "", Why: why}
}

// whyNoClose says what stands against closing s by ourselves, or "". The service checks all of it again, on
// what is on disk by then.
func whyNoClose(s *sessions.Session, c Connection, l Lang) string {
	switch {
	case s.Source != sourceVault:
		return l.Text(MsgNoCloseKimi)
	case !isOpen(s):
		return l.Text(MsgNoCloseClosed)
	case s.Has(sessions.FactLinked):
		return l.Text(MsgNoCloseLinked)
	case s.Has(sessions.FactDamaged):
		return l.Text(MsgNoCloseDamaged)
	case s.Has(sessions.FactDuplicateID):
		return l.Text(MsgNoDuplicate)
	}
	return whyOffline(c, l)
}

// sourceVault is sessions.Source.Name of the vault; only its Sessions have a protocol for closing.
const sourceVault = "vault"

// whyNoResume says what stands against resuming s, or "": above all, never a second writer.
func whyNoResume(s *sessions.Session, c Connection, l Lang) string {
	switch {
	case s.Status == sessions.Closed:
		return l.Text(MsgNoResumeClosed)
	case s.Status == sessions.Occupied, s.Holder != nil && s.Holder.Verdict != locks.Dead:
		return whoHasIt(s, l) // an archived one, too
	case s.ID == "":
		return l.Text(MsgNoID)
	case s.Has(sessions.FactDuplicateID):
		return l.Text(MsgNoDuplicate)
	case s.Has(sessions.FactFolderMissing):
		return l.Text(MsgNoResumeFolder, Clean(s.WorkDir))
	}
	return whyOffline(c, l)
}

func whoHasIt(s *sessions.Session, l Lang) string {
	if name := holderName(s.Holder, l); name != "" {
		return l.Text(MsgNoResumeHeldBy, name)
	}
	return l.Text(MsgNoResumeHeld)
}

func whyOffline(c Connection, l Lang) string {
	if c == Offline || c == Connecting {
		return l.Text(MsgNoOffline)
	}
	return ""
}

func whyNoFolder(s *sessions.Session, l Lang) string {
	if folder(s) == "" {
		return l.Text(MsgNoFolder)
	}
	return ""
}

func whyNoID(s *sessions.Session, l Lang) string {
	if s.ID == "" {
		return l.Text(MsgNoID)
	}
	return ""
}

// folder is what "Open folder" opens: where the work is done, else where the note is. It is "" when neither
// is known to be there. Whoever opens it checks that it is a directory: the path comes from a file that
// anybody may have written.
func folder(s *sessions.Session) string {
	switch {
	case s.WorkDir != "" && !s.Has(sessions.FactFolderMissing):
		return s.WorkDir
	case s.Source == sourceVault && s.Path != "":
		return filepath.Dir(s.Path)
	}
	return ""
}
