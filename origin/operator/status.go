package operator

import "context"

// Setting is one setting that an origin was started with.
type Setting struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Source string `json:"source"` // "the command line", "the environment variable …", "the --config file" or "default"
}

// Status is how a running origin and its store are.
type Status struct {
	Store    string `json:"store"`              // the engine: embedded, or shared if several origins use it at once
	Cursor   string `json:"cursor"`             // the newest entry of the change log
	Lost     string `json:"lost,omitempty"`     // an entry that was acknowledged once and is there no more; empty: nothing is lost
	NotReady string `json:"notReady,omitempty"` // why requests would be refused; empty if they are answered
}

// showStatus answers how the origin is.
func (h *Handler) showStatus(ctx context.Context, _ call) (any, error) { return h.status(ctx), nil }

// showSettings answers what the origin was started with.
func (h *Handler) showSettings(context.Context, call) (any, error) { return h.settings, nil }
