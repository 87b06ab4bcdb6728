package pebble

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/wal"

	"example.com/livery/storage"
	"example.com/livery/storage/pebble/admission"
)

// format is the number of the layout that this build writes, and the newest that it reads.
const format = 1

// Options are what Open takes. The zero value is right for a server.
type Options struct {
	FS           vfs.FS       // nil means the operating system's, or memory if the directory is ""
	Logger       *slog.Logger // nil means slog.Default()
	CacheBytes   int64        // of uncompressed blocks; 0 means 64 MiB
	MinFreeBytes int64        // below this much free disk nothing is written; 0 means 128 MiB, negative means no check
	BallastBytes int64        // of the file that is given up if the disk is full nevertheless; 0 means 32 MiB, negative means none

	// FailoverDir is a directory on another disk that takes the write-ahead log while the first disk
	// stalls; empty means none. A store that was opened with one must be opened with it ever after.
	FailoverDir string

	// HangAfter is how long a commit may take before the process is ended as hung; 0 means a minute,
	// and never for a store in memory or on FS, negative means never.
	HangAfter time.Duration

	// MaxTables is how many files of tables are kept open; 0 means 1,000. The engine takes at least 64.
	MaxTables int

	tune  func(*pebble.Options) // the last word on the engine's options, for tests; nil means none
	clock func() time.Time      // when blobs are put, for tests; nil means time.Now
	every time.Duration         // how often the watch looks, for tests; 0 means a quarter of HangAfter

	// Fatal is called once, when a write that callers wait for cannot be made durable or undone.
	// It must end the process, which is the only safe way on: the next start reads what is on disk.
	// If it returns nevertheless, every later call is refused with storage.ErrUnavailable. Nil
	// means log and exit with status 1.
	Fatal func(error)
}

const (
	memTableBytes       = 16 << 20
	maxTables           = 1000
	defaultCacheBytes   = 64 << 20
	defaultMinFreeBytes = 128 << 20
	defaultBallastBytes = 32 << 20
	defaultHangAfter    = time.Minute
)

// MemoryBytes is what the caches of a Store with default Options take at most: blocks as they were read, and what was
// written and is not in a table yet.
const MemoryBytes = defaultCacheBytes + admission.TablesWaiting*memTableBytes

func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.CacheBytes == 0 {
		o.CacheBytes = defaultCacheBytes
	}
	if o.MaxTables == 0 {
		o.MaxTables = maxTables
	}
	if o.MinFreeBytes == 0 {
		o.MinFreeBytes = defaultMinFreeBytes
	}
	if o.BallastBytes == 0 {
		o.BallastBytes = defaultBallastBytes
	}
	if o.clock == nil {
		o.clock = time.Now
	}
	if o.Fatal == nil {
		log := o.Logger
		o.Fatal = func(err error) {
			log.Error("the store cannot go on; the process ends", "error", oneLine(err))
			os.Exit(1)
		}
	}
	return o
}

// Open opens the store in a directory, which it makes if there is none; "" is a store in memory
// that ends with Close. It returns storage.ErrLocked if another Store has the directory, and
// storage.ErrCorrupt if what is there cannot be read.
func Open(dir string, opts Options) (*Store, error) {
	s := &Store{dir: dir, fs: opts.FS, opts: opts.withDefaults(), scopes: newScopes()}
	s.history.moved = make(chan struct{})
	if err := s.resolvePaths(); err != nil {
		return nil, err
	}
	var err error
	if s.lock, err = lockDirectory(s.fs, s.dir); err != nil {
		return nil, err
	}
	if err := s.start(); err != nil {
		_ = s.lock.Close()
		return nil, err
	}
	return s, nil
}

// start opens the engine and reads where the store left off.
func (s *Store) start() error {
	var err error
	if s.space, err = admission.NewDiskSpace(s.fs, s.dir, s.opts.MinFreeBytes, s.opts.BallastBytes, s.opts.Logger); err != nil {
		return err
	}
	if s.opts.FS == nil { // links to files that the engine has dropped since; a process ended in its backup
		if err := os.RemoveAll(filepath.Join(s.dir, workName)); err != nil {
			return fmt.Errorf("pebble: open %s: %w", s.dir, err)
		}
	}
	if s.codec, err = storage.NewCodec(); err != nil {
		return fmt.Errorf("pebble: open: %w", err)
	}
	if s.db, err = pebble.Open(s.dir, s.engineOptions()); err != nil {
		s.codec.Close()
		return s.openFailure(err)
	}
	s.admission.WatchEngine(s.db)
	s.blobs = &blobTable{db: s.db, codec: s.codec, admission: s.admission, failed: s.history.failed, clock: s.opts.clock}
	s.logEnd = &logEndMarker{fs: s.fs, path: s.fs.PathJoin(s.dir, logEndName), log: s.opts.Logger}
	end, err := s.identify()
	if err == nil {
		err = s.findLoss(end)
	}
	if err != nil {
		s.codec.Close()
		s.engineFS.Close()
		_ = s.db.Close()
		return err
	}
	s.last = end.Seq
	s.history.begin(&state{cursor: end, snap: s.db.NewSnapshot()})
	s.startWatchdog()
	return nil
}

// openFailure says why the engine did not open.
func (s *Store) openFailure(err error) error {
	var elsewhere pebble.ErrMissingWALRecoveryDir
	if admission.NoRoom(err) {
		return fmt.Errorf("pebble: open %s: %w: free some space and start again: %w", s.dir, storage.ErrNoSpace, err)
	}
	if errors.As(err, &elsewhere) {
		return fmt.Errorf("pebble: open %s: its newest commits may be in %s: name that directory as the failover directory again", s.dir, elsewhere.Dir)
	}
	return failure("open "+s.dir, err)
}

// engineOptions: a memtable that a publish does not fill, and formats named, because the engine's
// defaults are the oldest it knows.
func (s *Store) engineOptions() *pebble.Options {
	log := engineLog{to: s.opts.Logger, fatal: s.fail, named: &sync.Map{}}
	o := &pebble.Options{
		FS:                          vfs.OnDiskFull(s.fs, s.space.GiveUpBallast),
		Lock:                        s.lock,
		Logger:                      log,
		FormatMajorVersion:          pebble.FormatTableFormatV6,
		CacheSize:                   s.opts.CacheBytes,
		MemTableSize:                memTableBytes,
		MaxOpenFiles:                min(s.opts.MaxTables, maxTables),
		MemTableStopWritesThreshold: admission.EngineTables,
		L0StopWritesThreshold:       admission.EngineLevels,
	}
	o.Experimental.EnableColumnarBlocks = func() bool { return true }
	o.Levels[0].FilterPolicy = bloom.FilterPolicy(10) // the levels below take it over
	if s.opts.FS == nil {
		o.WithFSDefaults() // the engine's watch over slow disks
	}
	if s.opts.FailoverDir != "" {
		o.WALFailover = &pebble.WALFailoverOptions{Secondary: wal.Dir{FS: o.FS, Dirname: s.opts.FailoverDir}}
	}
	if s.opts.tune != nil {
		s.opts.tune(o)
	}
	s.admission = admission.New(s.space, o.MemTableSize)
	s.engineFS = admission.NewFS(o.FS, s.space, s.admission)
	o.FS = s.engineFS
	o.EventListener = log.events(s.engineFS)
	return o
}

// identify checks that the data is of a format this build reads, marks a new store, and returns
// the end of the change log.
func (s *Store) identify() (storage.Cursor, error) {
	mark, err := get(s.db, []byte(formatKey))
	if errors.Is(err, storage.ErrNotFound) {
		return storage.Cursor{}, s.initialize()
	}
	if err != nil {
		return storage.Cursor{}, err
	}
	if len(mark) != 4 {
		return storage.Cursor{}, fmt.Errorf("pebble: open %s: %w: its format is not a number", s.dir, storage.ErrCorrupt)
	}
	if n := binary.BigEndian.Uint32(mark); n > format {
		return storage.Cursor{}, fmt.Errorf("pebble: the data in %s is of format %d and this build reads formats up to %d: use the newer Livery that wrote it", s.dir, n, format)
	}
	id, err := get(s.db, []byte(idKey))
	if err != nil {
		return storage.Cursor{}, fmt.Errorf("pebble: open %s: %w: it has no ID: %w", s.dir, storage.ErrCorrupt, err)
	}
	s.id = hex.EncodeToString(id)
	return logEnd(s.db)
}

// initialize writes the marks of a new store, which must be empty.
func (s *Store) initialize() error {
	empty := true
	err := scan(s.db, nil, nil, storage.Ascending, func([]byte, []byte) (bool, error) {
		empty = false
		return false, nil
	})
	if err != nil {
		return err
	}
	if !empty {
		return fmt.Errorf("pebble: open %s: %w: it holds data and no format", s.dir, storage.ErrCorrupt)
	}
	id := make([]byte, 16)
	if _, err := rand.Read(id); err != nil {
		return fmt.Errorf("pebble: ID of a new store: %w", err)
	}
	s.id = hex.EncodeToString(id)
	return s.writeMarks(id, s.id)
}

// lineage returns the ID of the first store that this one goes back to by restores; its own if it was not restored.
func (s *Store) lineage() (string, error) {
	id, err := get(s.db, []byte(lineageKey))
	if errors.Is(err, storage.ErrNotFound) {
		return s.id, nil
	}
	return hex.EncodeToString(id), err
}

// writeMarks writes the format and the ID of a store, and its lineage if that is another ID.
func (s *Store) writeMarks(id []byte, lineage string) error {
	batch := s.db.NewBatch()
	defer func() { _ = batch.Close() }()
	if err := batch.Set([]byte(formatKey), binary.BigEndian.AppendUint32(nil, format), nil); err != nil {
		return failure("mark a new store", err)
	}
	if err := batch.Set([]byte(idKey), id, nil); err != nil {
		return failure("mark a new store", err)
	}
	if first, err := hex.DecodeString(lineage); err != nil || !bytes.Equal(first, id) {
		if err = errors.Join(err, batch.Set([]byte(lineageKey), first, nil)); err != nil {
			return failure("mark a new store", err)
		}
	}
	return failure("mark a new store", batch.Commit(pebble.Sync))
}
