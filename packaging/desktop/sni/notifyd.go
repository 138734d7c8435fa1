package sni

import (
	"context"
	"encoding/json"
	"io"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"
)

const (
	notifyInterface = "org.freedesktop.Notifications"
	notifyPath      = dbus.ObjectPath("/org/freedesktop/Notifications")
)

// RunNotifications is a notification daemon that shows nothing: it writes each call as one JSON object
// a line to w, and returns when ctx ends. With an action it answers every notification as if the user
// had clicked that action. It fails when another daemon is on the bus.
func RunNotifications(ctx context.Context, c *dbus.Conn, w io.Writer, action string) error {
	n := &notifications{conn: c, out: json.NewEncoder(w), action: action}
	if err := export(c, n, notifyPath, notifyInterface); err != nil {
		return err
	}
	if err := own(c, notifyInterface); err != nil {
		return err
	}
	n.record(call{Call: "ready"})
	<-ctx.Done()
	return nil
}

// call is what is written down about one call.
type call struct {
	Call     string            `json:"call"`
	ID       uint32            `json:"id,omitempty"`
	App      string            `json:"app,omitempty"`
	Replaces uint32            `json:"replaces,omitempty"`
	Icon     string            `json:"icon,omitempty"`
	Summary  string            `json:"summary,omitempty"`
	Body     string            `json:"body,omitempty"`
	Actions  []string          `json:"actions,omitempty"`
	Hints    map[string]string `json:"hints,omitempty"`
	Timeout  int32             `json:"timeout,omitempty"` // ms; -1 is the daemon's own choice
}

// notifications is the object on the bus. The connection calls its exported methods from goroutines of
// its own.
type notifications struct {
	conn   *dbus.Conn
	action string

	mu   sync.Mutex
	out  *json.Encoder
	last uint32
}

// Notify is the call that shows a notification.
func (n *notifications) Notify(app string, replaces uint32, icon, summary, body string, actions []string,
	hints map[string]dbus.Variant, timeout int32) (uint32, *dbus.Error) {
	id := n.id(replaces)
	n.record(call{Call: "Notify", ID: id, App: app, Replaces: replaces, Icon: icon, Summary: summary,
		Body: body, Actions: actions, Hints: hintWords(hints), Timeout: timeout})
	if n.action != "" {
		// The caller learns the id from the reply, which leaves only after this method returned.
		time.AfterFunc(50*time.Millisecond, func() {
			n.signal("ActionInvoked", id, n.action)
			n.signal("NotificationClosed", id, uint32(2)) // 2: dismissed by the user
		})
	}
	return id, nil
}

func (n *notifications) id(replaces uint32) uint32 {
	if replaces != 0 {
		return replaces
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last++
	return n.last
}

// hintWords keeps hints readable: image data would fill pages.
func hintWords(hints map[string]dbus.Variant) map[string]string {
	const maxRunes = 80
	words := make(map[string]string, len(hints))
	for name, v := range hints {
		s := []rune(v.String())
		if len(s) > maxRunes {
			s = append(s[:maxRunes], '…')
		}
		words[name] = string(s)
	}
	return words
}

// CloseNotification is the call that takes a notification away.
func (n *notifications) CloseNotification(id uint32) *dbus.Error {
	n.record(call{Call: "CloseNotification", ID: id})
	n.signal("NotificationClosed", id, uint32(3)) // 3: closed by a call
	return nil
}

// GetCapabilities claims what the common daemons have.
func (n *notifications) GetCapabilities() ([]string, *dbus.Error) {
	return []string{"body", "body-markup", "actions", "persistence", "icon-static"}, nil
}

// GetServerInformation returns name, vendor, version and protocol version.
func (n *notifications) GetServerInformation() (name, vendor, version, protocol string, e *dbus.Error) {
	return "trayprobe", "berth", "1", "1.2", nil
}

// record writes one line. Its reader is a test, which notices by itself when lines stop.
func (n *notifications) record(c call) {
	n.mu.Lock()
	defer n.mu.Unlock()
	_ = n.out.Encode(c)
}

func (n *notifications) signal(name string, values ...any) {
	_ = n.conn.Emit(notifyPath, notifyInterface+"."+name, values...)
}
