package record

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
)

// RefreshFed is what an edge needs after a change of a Theme, in one answer: the records are of one
// snapshot. What it lacks of what was asked for must be asked for on its own.
type RefreshFed struct {
	Theme ThemeFed        `json:"theme"`
	Pairs []RefreshedPair `json:"pairs"` // in the order of the question
	Blobs []RefreshedBlob `json:"blobs"` // inputs that the pairs name and the edge does not have
}

// RefreshedPair is a pair under the address that was asked for.
type RefreshedPair struct {
	Address string  `json:"address"` // "{-|variant}/{latest|number}"
	Pair    PairFed `json:"pair"`
}

// RefreshedBlob is a blob that comes with the pairs. Who reads it must check it against its name.
type RefreshedBlob struct {
	Name   Hash   `json:"name"`
	Length int    `json:"length"` // bytes
	Bytes  []byte `json:"-"`
}

// refreshHead is the length of the number before the record.
const refreshHead = 4

// The bounds of a question for a RefreshFed, and of the answer.
const (
	MaxRefreshPairs = 64
	MaxRefreshHas   = 128     // blobs that the edge says it has
	MaxRefreshBlobs = 1 << 20 // bytes of the blobs together
)

// AddBlobs adds the plans and overlays of the pairs that the edge does not have, as far as they fit. What blob cannot
// return is left out: the edge asks for it, and hears why. It changes has.
func (r *RefreshFed) AddBlobs(has map[Hash]bool, blob func(name Hash) ([]byte, error)) {
	r.Blobs = []RefreshedBlob{}
	room := MaxRefreshBlobs
	for _, p := range r.Pairs {
		for _, name := range []Hash{p.Pair.Plan, p.Pair.Overlay} {
			if name == "" || has[name] {
				continue
			}
			has[name] = true
			if content, err := blob(name); err == nil && len(content) <= room {
				room -= len(content)
				r.Blobs = append(r.Blobs, RefreshedBlob{Name: name, Bytes: content})
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
func AppendRefresh(dst []byte, r RefreshFed) ([]byte, error) {
	for i := range r.Blobs {
		r.Blobs[i].Length = len(r.Blobs[i].Bytes)
	}
	text, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("record: refresh: %w", err)
	}
	dst = append(binary.BigEndian.AppendUint32(dst, uint32(len(text))), text...)
	for _, b := range r.Blobs {
		dst = append(dst, b.Bytes...)
	}
	return dst, nil
}

var errRefresh = errors.New("record: refresh: its parts have other lengths than it says")

// ParseRefresh reads what AppendRefresh wrote. The bytes of the blobs are part of data.
func ParseRefresh(data []byte) (r RefreshFed, err error) {
	if len(data) < refreshHead {
		return r, errRefresh
	}
	length, rest := uint64(binary.BigEndian.Uint32(data)), data[refreshHead:]
	if length > uint64(len(rest)) {
		return r, errRefresh
	}
	if err := json.Unmarshal(rest[:length], &r); err != nil {
		return RefreshFed{}, fmt.Errorf("record: refresh: %w", err)
	}
	rest = rest[length:]
	for i, b := range r.Blobs {
		if b.Length < 0 || b.Length > len(rest) {
			return RefreshFed{}, errRefresh
		}
		r.Blobs[i].Bytes, rest = rest[:b.Length:b.Length], rest[b.Length:]
	}
	if len(rest) > 0 {
		return RefreshFed{}, errRefresh
	}
	return r, nil
}
