package pebble_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	engine "github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"example.com/livery/internal/test/race"
	"example.com/livery/internal/test/storagetest"
	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
)

// faultVariable makes the test binary a child process that works on a store with a fault; its value
// is a fault as String spells it.
const faultVariable = "LIVERY_TEST_FAULT"

// faultPointsVariable sets the number of fault points, or "all".
const faultPointsVariable = "LIVERY_FAULT_POINTS"

// fault says which operation of the file system fails, counted from 1, and what happens at the end.
type fault struct {
	op      int64
	reads   bool   // reads count, else writes
	forGood bool   // every such operation after it fails too
	percent int    // of what was not synced that outlives the power failure at the end
	dir     string // a real directory instead, left to the parent, with no power failure; "-" for none
}

// String spells a fault as parseFault reads it.
func (f fault) String() string { return fmt.Sprint(f.op, f.reads, f.forGood, f.percent, f.dir) }

func parseFault(spec string) (f fault, err error) {
	_, err = fmt.Sscan(spec, &f.op, &f.reads, &f.forGood, &f.percent, &f.dir)
	return f, err
}

// Every operation that the file system can refuse, once or from then on, leaves what was
// acknowledged: also if the power fails as the store gives up, and if the engine panics or
// hangs.
func TestAFailedOperationLosesNothingAcknowledged(t *testing.T) {
	t.Parallel()
	for _, reads := range []bool{false, true} {
		total := runFault(t, fault{op: 1 << 40, reads: reads, dir: "-"})
		points := faultPoints(reads, total)
		t.Logf("%d points of %d operations, reads %t", points, total, reads)
		for i := range points {
			f := fault{op: 1 + i*total/points, reads: reads, forGood: i%2 == 1, percent: int(i%3) * 50, dir: "-"}
			name := fmt.Sprintf("op=%d,reads=%t,forGood=%t,percent=%d", f.op, reads, f.forGood, f.percent)
			if i%4 == 3 {
				f.dir = t.TempDir()
				name += ",disk"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				runFault(t, f)
			})
		}
	}
}

// faultPoints returns how many of total operations are to fail in turn.
func faultPoints(reads bool, total int64) int64 {
	points := int64(40)
	switch n, err := strconv.ParseInt(os.Getenv(faultPointsVariable), 10, 64); {
	case os.Getenv(faultPointsVariable) == "all":
		return total
	case err == nil:
		points = n
	case testing.Short(), race.Enabled:
		points = 9
	case reads:
		points = 12
	}
	return min(points, total)
}

// runFault runs a child, verifies what it left on a real disk, and returns how many operations it made.
// A panic or a hang within the engine ends a process as well, by itself or by a watchdog outside.
func runFault(t *testing.T, f fault) (ops int64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), faultVariable+"="+f.String())
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	switch {
	case ctx.Err() != nil:
		t.Log("the engine hung")
	case err != nil && enginePanic.MatchString(stderr.String()):
		t.Log("the engine panicked")
	case err != nil && f.dir == "-":
		t.Errorf("the store with a fault: %v\n%.3000s", err, ackLine.ReplaceAllString(string(out), "")+stderr.String())
	}
	acks, ops := parseChild(t, out)
	if f.dir != "-" {
		storagetest.Verify(t, open(t, f.dir, pebble.Options{}), acks.copy())
	}
	return ops
}

// enginePanic finds a panic with the error of the fault. If the engine panics without the lock
// that it then unlocks, the runtime prints the error's type in place of its text.
var enginePanic = regexp.MustCompile(`panic: .*(injected error|LabelledError|withStack)`)

var ackLine = regexp.MustCompile(`(?m)^ack .*\n`)

// parseChild reads what a child printed.
func parseChild(t *testing.T, out []byte) (acks *acknowledgements, ops int64) {
	t.Helper()
	acks = newAcknowledgements()
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		switch {
		case len(words) == 3 && words[0] == "ack":
			step, stepErr := storagetest.ParseStep(words[1])
			at, err := storage.ParseCursor(words[2])
			if err := errors.Join(stepErr, err); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			acks.add(step, at)
		case len(words) == 2 && words[0] == "ops":
			_, _ = fmt.Sscan(words[1], &ops)
		}
	}
	return acks, ops
}

// child is the process that works on a store until a fault ends it.
type child struct {
	fault
	mem  *vfs.MemFS // nil on a real disk
	acks *acknowledgements
	ops  atomic.Int64
}

// runFaultChild returns the status with which the child ends.
func runFaultChild(spec string) int {
	f, err := parseFault(spec)
	if err != nil {
		fmt.Println(err)
		return 2
	}
	c := &child{fault: f, acks: newAcknowledgements()}
	c.acks.also = func(step storagetest.Step, at storage.Cursor) { fmt.Println("ack", step, at) }
	// Small, so that logs are rotated, tables written and read within a second.
	opts := pebble.Options{Logger: slog.New(slog.DiscardHandler), MinFreeBytes: -1, CacheBytes: 1}.Tuned(func(o *engine.Options) {
		o.MemTableSize, o.L0CompactionThreshold = 128<<10, 2
	})
	dir := f.dir
	if dir == "-" {
		opts.Fatal = func(error) { os.Exit(c.end()) } // else the default, which ends the process
		c.mem, dir = vfs.NewCrashableMem(), crashDir
		opts.FS = newFaulty(c.mem, c)
	} else {
		opts.FS = newFaulty(vfs.Default, c)
	}
	if s, err := pebble.Open(dir, opts); err == nil {
		c.work(s)
	}
	fmt.Println("ops", c.ops.Load())
	return c.end()
}

// String names the child as an errorfs.Injector.
func (c *child) String() string { return c.fault.String() }

// MaybeError fails the operation that the fault names.
func (c *child) MaybeError(op errorfs.Op) error {
	if (op.Kind.ReadOrWrite() == errorfs.OpIsRead) != c.reads {
		return nil
	}
	if n := c.ops.Add(1); n == c.op || n > c.op && c.forGood {
		return errorfs.ErrInjected
	}
	return nil
}

// work runs eight writers until 200 commits or a second are over, or the store refuses.
func (c *child) work(store storage.Store) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	wg := work(ctx, store, []int{1, 2, 3, 4, 5, 6, 7, 8}, c.acks)
	go func() {
		wg.Wait() // they may all have been refused
		cancel()
	}()
	for c.acks.count() < 200 && ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	cancel()
	wg.Wait()
}

// end lets the power fail and checks what is left.
func (c *child) end() (status int) {
	if c.mem == nil {
		return 0
	}
	defer func() {
		if wrong := recover(); wrong != nil {
			fmt.Println(wrong)
			status = 2
		}
	}()
	acknowledged := c.acks.copy()
	random := rand.New(rand.NewPCG(uint64(c.op), 2))
	left := c.mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: c.percent, RNG: random})
	s, err := pebble.Open(crashDir, pebble.Options{FS: left, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		panic(fmt.Sprintf("Open() after the power failure = %v", err))
	}
	storagetest.Verify(childReporter{}, s, acknowledged)
	return 0
}

// childReporter ends the child if storagetest.Verify finds something wrong.
type childReporter struct{}

func (childReporter) Helper() {}

func (childReporter) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
