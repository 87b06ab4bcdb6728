package operator

import (
	"context"
	"time"

	"example.com/livery/origin/derive"
	"example.com/livery/storage/record"
)

// Setting is one setting that an origin was started with.
type Setting struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Source string `json:"source"` // "the command line", "the environment variable …", "the --config file" or "default"
}

// Module is a registered renderer module. It renders the versions that were published with it for ever.
type Module struct {
	Digest       record.Hash `json:"digest"`
	CoreVersion  string      `json:"coreVersion"` // of the renderer
	ABIVersion   uint32      `json:"abiVersion"`
	Toolchain    string      `json:"toolchain"` // compiler that built it; empty: it does not say
	Size         int         `json:"size"`      // bytes
	RegisteredAt time.Time   `json:"registeredAt"`
	Current      bool        `json:"current"` // new versions are published with it
}

// Status is the state of a running origin and its store.
type Status struct {
	Store    string    `json:"store"`              // the engine: embedded, or shared if several origins use it at once
	Cursor   string    `json:"cursor"`             // the newest entry of the change log
	Lost     string    `json:"lost,omitempty"`     // an entry that was acknowledged once and is there no more; empty: nothing is lost
	NotReady string    `json:"notReady,omitempty"` // why requests would be refused; empty if they are answered
	Modules  []Module  `json:"modules"`            // by digest
	Settings []Setting `json:"settings"`           // what the origin was started with, by name
}

func (h *Handler) showStatus(ctx context.Context, _ call) (any, error) {
	s := h.config.Status(ctx)
	s.Modules, s.Settings = []Module{}, h.config.Settings
	if s.NotReady != "" {
		return s, nil // the store may not answer
	}
	all, err := derive.Modules(ctx, h.config.Store)
	for _, m := range all {
		s.Modules = append(s.Modules, Module{m.Digest, m.CoreVersion, m.ABIVersion, m.Toolchain, m.Size, m.RegisteredAt, m.Digest == h.config.Module})
	}
	return s, err
}
