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

func (h *Handler) rotateTokenKeys(ctx context.Context, c call) (any, error) {
	var rotation Rotation
	if err := decode(c.body, &rotation); err != nil {
		return nil, err
	}
	var rotated Rotated
	err := Commit(ctx, h.store, storage.Global, h.now(), func(tx storage.Tx, note func(record.Audit)) (record.Change, error) {
		var err error
		if rotated, err = h.keys.RotateIn(tx, rotation.DropOld); err != nil {
			return record.Change{}, err
		}
		note(record.Audit{Action: ActionRotate, Target: "token keys", Changes: []string{rotationSentence(rotated)}})
		return record.Change{At: h.now()}, nil
	})
	if err == nil {
		err = h.keys.Reload(ctx, h.store)
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
