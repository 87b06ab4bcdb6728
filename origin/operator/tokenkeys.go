package operator

import (
	"context"

	"example.com/livery/origin/auth"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// Rotation is the body of a request for a new token key.
type Rotation struct {
	DropOld bool `json:"dropOld"` // refuse the tokens of all keys before from now on
}

// Rotated is the answer to a Rotation.
type Rotated = auth.Rotated

func (h *Handler) rotateTokenKeys(ctx context.Context, _ call, rotation Rotation) (any, error) {
	var rotated Rotated
	err := Commit(ctx, h.config.Store, storage.Global, h.config.Now(), func(tx storage.Tx, note func(record.Audit)) (record.Change, error) {
		var err error
		if rotated, err = h.config.Keys.RotateIn(tx, rotation.DropOld); err != nil {
			return record.Change{}, err
		}
		note(record.Audit{Action: ActionRotate, Target: "token keys", Changes: []string{rotationSentence(rotated)}})
		return record.Change{At: h.config.Now()}, nil
	})
	if err == nil {
		err = h.config.Keys.Reload(ctx, h.config.Store)
	}
	if err != nil {
		return nil, err
	}
	return rotated, nil
}

func rotationSentence(r Rotated) string {
	if r.Until.IsZero() {
		return "token key " + r.ID + " signs from now on, and every token before is refused"
	}
	return "token key " + r.ID + " signs from now on, and the keys before count until their tokens expire"
}
