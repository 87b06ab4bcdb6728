package derive

import (
	"container/list"
	"sync"

	"example.com/livery/renderer"
	"example.com/livery/storage/record"
)

// kept holds the Themes that were compiled last, as far as they fit into maxBytes: who publishes a
// Theme publishes its Variants next. It may be used concurrently.
type kept struct {
	maxBytes int64

	mu    sync.Mutex // guards all below
	bytes int64
	order *list.List // of *keptTheme, the one used last in front
	byKey map[themeKey]*list.Element
}

// themeKey names what a Theme is compiled from.
type themeKey struct {
	document record.Hash
	prefix   string
}

func keyOf(v record.ThemeVersion) themeKey { return themeKey{v.Document, v.Prefix} }

type keptTheme struct {
	key      themeKey
	compiled *renderer.Compiled
	bytes    int64
}

func newKept(maxBytes int64) *kept {
	return &kept{maxBytes: maxBytes, order: list.New(), byKey: map[themeKey]*list.Element{}}
}

// find returns a compiled Theme, or nil.
func (k *kept) find(key themeKey) *renderer.Compiled {
	k.mu.Lock()
	defer k.mu.Unlock()
	e := k.byKey[key]
	if e == nil {
		return nil
	}
	k.order.MoveToFront(e)
	return e.Value.(*keptTheme).compiled
}

// bytesPerByte is about what a byte of a document takes as a tree with its tokens: 14 to 18 were
// measured over the documents of the wild.
const bytesPerByte = 16

// keep holds a Theme whose document has so many bytes, in the place of those used longest ago.
func (k *kept) keep(key themeKey, c *renderer.Compiled, documentBytes int) {
	bytes := int64(bytesPerByte * documentBytes)
	for f := range renderer.File(renderer.FileCount) {
		bytes += int64(len(c.Plan(f)))
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if bytes > k.maxBytes || k.byKey[key] != nil {
		return
	}
	k.byKey[key] = k.order.PushFront(&keptTheme{key, c, bytes})
	for k.bytes += bytes; k.bytes > k.maxBytes; {
		oldest := k.order.Remove(k.order.Back()).(*keptTheme)
		delete(k.byKey, oldest.key)
		k.bytes -= oldest.bytes
	}
}
