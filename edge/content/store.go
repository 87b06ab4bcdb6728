// Package content makes the files that an edge serves, and holds them in memory: renders them in WebAssembly, encodes
// them, and makes deltas between versions.
package content

import (
	"context"
	"log/slog"
	"time"

	"example.com/livery/edge/coding"
	"example.com/livery/edge/memcache"
	"example.com/livery/feedproto"
	"example.com/livery/storage/record"
	"example.com/livery/wasm"
	"golang.org/x/sync/singleflight"
)

// Config configures a Store. All but Bodies must be set.
type Config struct {
	Budget       int64 // bytes of memory
	Slots        int   // encodings at one time that requests wait for
	Pending      int   // bodies that wait for being recompressed
	Runtime      *wasm.Runtime
	Blob         func(record.Hash) ([]byte, error) // plans, overlays and modules
	HasBlob      func(record.Hash) bool            // without a question to upstream
	Bodies       BodyDisk                          // nil: nothing outlasts a restart
	Older        func(line Line) []*Inputs         // what the disk has of a line, the newest version first
	IsTemporary  func(error) bool                  // such a failure of Blob is not kept
	Rendering    func() (done func(error))         // called around a render
	Recompressed func()
	Now          func() time.Time
	Logger       *slog.Logger
}

// Store holds files, and what they are made from. It may be used concurrently.
type Store struct {
	config         Config
	ctx            context.Context                      // ends what takes long
	inputs         *memcache.Table[record.Hash, []byte] // plans and overlays
	files          *memcache.Table[Key, *File]
	offers         offers
	parses         parses
	renders        renders
	atOnce         renders // of what is in memory, without a wait
	flights        singleflight.Group
	encoders       *coding.Encoders
	recompressions chan recompression
	deltas         *deltas

	References *References
}

// What an entry takes besides its bytes: structures, keys, the table's own. A test weighs them.
const (
	inputCost = 320
	offerCost = 1 << 10 // with the Inputs that are kept alive
)

// New returns an empty Store. Of its budget plans and overlays have 6/46, what clients may have 1/46, the matches in
// plans 1/46, files the rest. Renders end with ctx.
func New(ctx context.Context, c Config) *Store {
	part := uint64(c.Budget / 46)
	s := &Store{
		config: c, ctx: ctx, encoders: coding.NewEncoders(c.Slots), recompressions: make(chan recompression, c.Pending), deltas: newDeltas(),
		inputs: memcache.New(6*part, func(_ record.Hash, b []byte) uint32 { return memcache.Allocated(len(b)) + inputCost }, nil),
		offers: offers{memcache.New(part, func(_ DictionaryKey, of []*Inputs) uint32 { return offerCost * uint32(max(len(of), 1)) }, nil)},
		files:  memcache.New(uint64(c.Budget)-8*part, func(_ Key, f *File) uint32 { return f.cost() }, nil),
	}
	s.parses = newParses(s, part)
	s.renders, s.atOnce = renders{s, ctx, s.Input}, newAtOnce(s)
	s.References = newReferences(s)
	return s
}

// Bytes returns what is held, roughly.
func (s *Store) Bytes() uint64 {
	return s.inputs.Bytes() + s.files.Bytes() + s.offers.table.Bytes() + s.parses.Bytes()
}

// Evicted returns what counts how many values were evicted, by their kind.
func (s *Store) Evicted() map[string]func() uint64 {
	return map[string]func() uint64{"input": s.inputs.Evicted, "file": s.files.Evicted, "offer": s.offers.table.Evicted, "parse": s.parses.Evicted}
}

// File returns what is held of a file, and counts a request for it.
func (s *Store) File(key Key) (*File, bool) { return s.files.Get(key) }

// Peek returns what is held of a file.
func (s *Store) Peek(key Key) (*File, bool) { return s.files.Peek(key) }

// Put holds one coding of a file beside those that are held of it.
func (s *Store) Put(key Key, b *Body) {
	s.files.Update(key, func(f *File, _ bool) (*File, bool) { return f.with(b), true })
}

// putOf is Put for a file of in: one that is new has the standing in the cache of the file that it is to replace.
func (s *Store) putOf(in *Inputs, key Key, b *Body) {
	before := Key{s.References.before(in), key.File}
	s.files.UpdateHeir(key, before, func(f *File, _ bool) (*File, bool) { return f.with(b), true })
}

// replace puts a smaller body in the place of one that is still held.
func (s *Store) replace(key Key, old, b *Body) {
	s.files.Update(key, func(f *File, ok bool) (*File, bool) {
		if !ok || f.bodies[old.wanted] != old {
			return nil, false
		}
		return f.with(b), true
	})
}

// putDelta holds what is known of a delta beside the bodies that are still held of its file.
func (s *Store) putDelta(key Key, d delta) {
	s.files.Update(key, func(f *File, ok bool) (*File, bool) {
		if !ok {
			return nil, false
		}
		return f.withDelta(d), true
	})
}

// Input returns a plan or an overlay by its name, from memory or as Config.Blob has it.
func (s *Store) Input(name record.Hash) ([]byte, error) {
	if held, ok := s.inputs.Get(name); ok {
		return held, nil
	}
	blob, err := s.config.Blob(name)
	if err == nil {
		s.inputs.Set(name, blob)
	}
	return blob, err
}

// HeldInput returns a plan or an overlay from memory.
func (s *Store) HeldInput(name record.Hash) ([]byte, bool) { return s.inputs.Peek(name) }

// PutInput holds a plan or an overlay in memory.
func (s *Store) PutInput(name record.Hash, blob []byte) { s.inputs.Set(name, blob) }

// HasInputs reports whether what a pair is made from is here, as far as is known without reading it.
func (s *Store) HasInputs(in *Inputs) bool {
	p := in.Pair()
	return s.hasInput(p.Plan) && (p.Overlay == "" || s.hasInput(p.Overlay)) && (s.config.Runtime.Loaded(string(p.Module)) || s.config.HasBlob(p.Module))
}

func (s *Store) hasInput(name record.Hash) bool {
	_, held := s.inputs.Peek(name)
	return held || s.config.HasBlob(name)
}

// FetchInputs makes sure that what a pair is made from is here, whole.
func (s *Store) FetchInputs(p feedproto.Pair) error {
	for _, name := range []record.Hash{p.Plan, p.Overlay} {
		if name == "" {
			continue
		}
		if _, err := s.Input(name); err != nil {
			return err
		}
	}
	if s.config.Runtime.Loaded(string(p.Module)) && s.config.HasBlob(p.Module) {
		return nil
	}
	_, err := s.config.Blob(p.Module)
	return err
}
