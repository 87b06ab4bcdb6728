package operator

import (
	"context"

	"example.com/livery/origin/auth"
)

// Rotation is the body of a request for a new token key.
type Rotation struct {
	DropOld bool `json:"dropOld"` // refuse the tokens of all keys before from now on
}

// Rotated is the answer to a Rotation.
type Rotated = auth.Rotated

func (h *Handler) rotateTokenKeys(ctx context.Context, c call) (any, error) {
	var rotation Rotation
	if err := decode(c.body, &rotation); err != nil {
		return nil, err
	}
	return h.keys.Rotate(ctx, h.store, rotation.DropOld)
}
