package operator

import (
	"context"
	"time"

	"example.com/livery/origin/derive"
	"example.com/livery/storage/record"
)

// Module is a registered renderer module.
type Module struct {
	Digest       record.Hash `json:"digest"`
	CoreVersion  string      `json:"coreVersion"` // of the renderer
	ABIVersion   uint32      `json:"abiVersion"`
	Toolchain    string      `json:"toolchain"` // compiler that built it; empty: it does not say
	Size         int         `json:"size"`      // bytes
	RegisteredAt time.Time   `json:"registeredAt"`
	Versions     int         `json:"versions"` // Theme versions that it renders for ever
	Current      bool        `json:"current"`  // it is this build's own: what is published now is rendered by it
}

// ModuleList is the answer to a list of renderer modules.
type ModuleList struct {
	Modules []Module `json:"modules"` // by digest
}

func (h *Handler) listModules(ctx context.Context, _ call) (any, error) {
	all, err := derive.Modules(ctx, h.store)
	list := ModuleList{[]Module{}}
	for _, m := range all {
		list.Modules = append(list.Modules, Module{
			m.Digest, m.CoreVersion, m.ABIVersion, m.Toolchain, m.Size, m.RegisteredAt, m.Versions, m.Digest == h.module,
		})
	}
	return list, err
}
