package feedproto

import (
	"encoding/binary"
	"errors"
	"fmt"

	"example.com/livery/storage/record"
	"github.com/go-json-experiment/json"
)

// Refresh is what an edge needs after a change of a Theme, in one answer: the records are of one
// snapshot. What it lacks of what was asked for must be asked for on its own.
type Refresh struct {
	Theme Theme         `json:"theme"`
	Pairs []RefreshPair `json:"pairs"` // in the order of the question
	Blobs []RefreshBlob `json:"blobs"` // inputs that the pairs name and the edge does not have
}

// RefreshPair is a pair under the address that was asked for.
type RefreshPair struct {
	Address string `json:"address"` // "{-|variant}/{latest|number}", and "/{modes}" of an address with modes
	Pair    Pair   `json:"pair"`
}

// RefreshBlob is a blob that comes with the pairs. The reader must check it against its name.
type RefreshBlob struct {
	Name   record.Hash `json:"name"`
	Length int         `json:"length"` // bytes
	Bytes  []byte      `json:"-"`
}

// refreshHead is the length of the number before the record.
const refreshHead = 4

// The bounds of a question for a Refresh, and of the answer.
const (
	MaxRefreshPairs = 64
	MaxRefreshHas   = 128     // blobs that the edge says it has
	MaxRefreshBlobs = 1 << 20 // bytes of the blobs together
)

// AddBlobs adds the plans and overlays of the pairs that the edge does not have, as far as they fit. What blob cannot
// return is left out: the edge asks for it, and hears why. It changes has.
func (r *Refresh) AddBlobs(has map[record.Hash]bool, blob func(name record.Hash) ([]byte, error)) {
	r.Blobs = []RefreshBlob{}
	room := MaxRefreshBlobs
	for _, p := range r.Pairs {
		for _, name := range []record.Hash{p.Pair.Plan, p.Pair.Overlay} {
			if name == "" || has[name] {
				continue
			}
			has[name] = true
			if content, err := blob(name); err == nil && len(content) <= room {
				room -= len(content)
				r.Blobs = append(r.Blobs, RefreshBlob{Name: name, Bytes: content})
			}
		}
	}
}

// AppendRefresh appends the answer as it is sent:
//
//	4 bytes  length of the record, the highest byte first
//	...      the record, JSON
//	...      the blobs, in its order
//
// The Length of each blob is set to that of its bytes.
func AppendRefresh(dst []byte, r Refresh) ([]byte, error) {
	for i := range r.Blobs {
		r.Blobs[i].Length = len(r.Blobs[i].Bytes)
	}
	text, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("feedproto: refresh: %w", err)
	}
	dst = append(binary.BigEndian.AppendUint32(dst, uint32(len(text))), text...)
	for _, b := range r.Blobs {
		dst = append(dst, b.Bytes...)
	}
	return dst, nil
}

var errRefresh = errors.New("feedproto: refresh: its parts have other lengths than it says")

// ParseRefresh reads what AppendRefresh wrote. The bytes of the blobs are part of data.
func ParseRefresh(data []byte) (r Refresh, err error) {
	if len(data) < refreshHead {
		return r, errRefresh
	}
	length, rest := uint64(binary.BigEndian.Uint32(data)), data[refreshHead:]
	if length > uint64(len(rest)) {
		return r, errRefresh
	}
	if err := json.Unmarshal(rest[:length], &r); err != nil {
		return Refresh{}, fmt.Errorf("feedproto: refresh: %w", err)
	}
	rest = rest[length:]
	for i, b := range r.Blobs {
		if b.Length < 0 || b.Length > len(rest) {
			return Refresh{}, errRefresh
		}
		r.Blobs[i].Bytes, rest = rest[:b.Length:b.Length], rest[b.Length:]
	}
	if len(rest) > 0 {
		return Refresh{}, errRefresh
	}
	return r, nil
}
