package pebble_test

import (
	"log/slog"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"example.com/livery/internal/test/storagetest"
	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
)

func TestMain(m *testing.M) {
	if spec := os.Getenv(faultVariable); spec != "" {
		os.Exit(runFaultChild(spec))
	}
	if dir := os.Getenv(holdVariable); dir != "" {
		os.Exit(runHolder(dir))
	}
	if spec := os.Getenv(endVariable); spec != "" {
		os.Exit(runEnd(spec))
	}
	if spec := os.Getenv(killVariable); spec != "" {
		os.Exit(runVictim(spec))
	}
	goleak.VerifyTestMain(m)
}

// open opens a store that must open, and closes it when the test ends.
func open(t testing.TB, dir string, opts pebble.Options) *pebble.Store {
	t.Helper()
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.Fatal == nil {
		opts.Fatal = func(err error) { t.Errorf("Fatal(%v)", err) }
	}
	s, err := pebble.Open(dir, opts)
	if err != nil {
		t.Fatalf("Open(%q) = %v", dir, err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestStoreInMemoryKeepsTheContract(t *testing.T) {
	t.Parallel()
	storagetest.Run(t, func(t *testing.T) storage.Store { return open(t, "", pebble.Options{}) })
}

func TestStoreOnDisk_Long(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the same in memory runs: make check runs it")
	}
	storagetest.Run(t, func(t *testing.T) storage.Store { return open(t, t.TempDir(), pebble.Options{MinFreeBytes: -1}) })
}

func TestStoreCollectsWhatNothingNames(t *testing.T) {
	t.Parallel()
	storagetest.RunCollect(t, func(t *testing.T, clock func() time.Time) storage.Store {
		return open(t, "", pebble.Options{}.Timed(clock))
	})
}
