package storagetest

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// Step is one commit of a workload for concurrency and crash tests: what it does follows from its
// name and from what was committed before it. So the log alone says what a store must hold, and
// Verify can tell a lost, doubled, halved or reordered commit.
type Step struct {
	Writer int
	Number int // counts from 0 for each writer
}

// String names the step as "writer.number".
func (s Step) String() string { return fmt.Sprintf("%d.%d", s.Writer, s.Number) }

// ParseStep reads what String wrote.
func ParseStep(name string) (Step, error) {
	var s Step
	_, err := fmt.Sscanf(name, "%d.%d", &s.Writer, &s.Number)
	return s, err
}

// Scope returns one of four scopes, by the writer, or now and then Global.
func (s Step) Scope() string {
	if s.Number%5 == 4 {
		return storage.Global
	}
	return "env_" + strconv.Itoa(s.Writer%4)
}

// Do stores the step's blob and commits the step.
func (s Step) Do(ctx context.Context, store storage.Store) (storage.Cursor, error) {
	if _, err := store.PutBlob(ctx, s.blob()); err != nil {
		return storage.Cursor{}, err
	}
	return store.Update(ctx, s.Scope(), func(tx storage.Tx) (record.Change, error) {
		return record.Change{EnvironmentID: s.Scope(), ThemeID: s.String()}, s.effect(tx)
	})
}

// blob is 0.3 to 20 KB, the greater half of it random.
func (s Step) blob() []byte {
	random := rand.New(rand.NewPCG(uint64(s.Writer), uint64(s.Number)))
	blob := bytes.Repeat([]byte(s.String()+" "), 20+random.IntN(1000))
	for i := range len(blob) / 2 {
		blob[i] = byte(random.Uint32())
	}
	return blob
}

// effect writes two keys that only make sense together, the newest step of the scope, a counter,
// and now and then deletes the two keys of the writer's step before. A Global step adds up all
// counters.
func (s Step) effect(tx storage.Tx) error {
	keys := func(step Step, parts ...string) []byte {
		return storage.Key('P', append([]string{step.Scope(), step.String()}, parts...)...)
	}
	writes := []pair{
		{string(keys(s, "blob")), string(record.HashOf(s.blob()))},
		{string(keys(s, "name")), s.String()},
		{string(storage.Key('V', s.Scope(), "latest")), s.String()},
	}
	if s.Scope() == storage.Global {
		sum, err := counters(tx)
		if err != nil {
			return err
		}
		writes = append(writes, pair{string(storage.Key('V', "sum")), strconv.Itoa(sum)})
	} else if err := increment(tx, string(storage.Key('N', s.Scope()))); err != nil {
		return err
	}
	for _, w := range writes {
		if err := tx.Set([]byte(w.key), []byte(w.value)); err != nil {
			return err
		}
	}
	if s.Number%3 == 2 {
		return tx.DeletePrefix(keys(Step{s.Writer, s.Number - 1}))
	}
	return nil
}

func counters(tx storage.Tx) (sum int, err error) {
	scanErr := tx.Scan([]byte("N"), storage.Ascending, func(_, value []byte) bool {
		var n int
		n, err = strconv.Atoi(string(value))
		sum += n
		return err == nil
	})
	if scanErr != nil {
		return 0, scanErr
	}
	return sum, err
}

// Verify fails t unless the store's log has no gap and no step twice, holds every acknowledged step
// at its place, and the store holds exactly what the log says, with every blob named there. The
// log must be untrimmed and of Steps only. Verify returns the number of entries.
func Verify(t tester, store storage.Store, acknowledged map[Step]storage.Cursor) int {
	t.Helper()
	log := logged(t, store, storage.Cursor{})
	for step, at := range acknowledged {
		if at.Seq == 0 || at.Seq > uint64(len(log)) {
			t.Fatalf("acknowledged commit %s at %s is lost: the log ends at %d", step, at, len(log))
		}
		if e := log[at.Seq-1]; e.Cursor != at || e.Change.ThemeID != step.String() {
			t.Fatalf("acknowledged commit %s at %s is lost: there is %s at %s", step, at, e.Change.ThemeID, e.Cursor)
		}
	}
	folded := fold(t, log)
	if got, want := stored(t, store), folded.pairs("", storage.Ascending); !slices.Equal(got, want) {
		t.Fatalf("the store holds %q, and its log says %q", got, want)
	}
	verifyBlobs(t, store, folded)
	return len(log)
}

// fold returns what the log says a store holds.
func fold(t tester, log []storage.LoggedChange) *memory {
	t.Helper()
	m, seen := newMemory(), map[Step]bool{}
	for i, e := range log {
		step, err := ParseStep(e.Change.ThemeID)
		if err != nil || seen[step] || e.Cursor.Seq != uint64(i)+1 {
			t.Fatalf("entry %d of the log is %v %v: a gap, or step %s twice: %v", i+1, e.Cursor, e.Change, step, err)
		}
		seen[step] = true
		if err := step.effect(m); err != nil {
			t.Fatalf("step %s: %v", step, err)
		}
		m.at = e.Cursor
	}
	return m
}

func verifyBlobs(t tester, store storage.Store, folded *memory) {
	t.Helper()
	for _, p := range folded.pairs("P", storage.Ascending) {
		if storage.LastPart([]byte(p.key)) != "blob" {
			continue
		}
		if _, err := store.Blob(context.Background(), record.Hash(p.value)); err != nil {
			t.Fatalf("a blob that a commit names: %v", err)
		}
	}
}

func runWriters(t *testing.T, open Open) {
	prove(t, open, []rule{{"32 writers lose nothing, and all that readers and followers see agrees with the log", writers}})
}

// observation is what a reader saw.
type observation struct {
	at  storage.Cursor
	all []pair
}

func writers(t *testing.T, store storage.Store) {
	const count, each = 32, 15
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var wg, readers sync.WaitGroup
	var mu sync.Mutex
	acknowledged := map[Step]storage.Cursor{}
	for w := range count {
		wg.Go(func() {
			for n := range each {
				step := Step{w, n}
				at, err := step.Do(ctx, store)
				if err != nil {
					t.Errorf("step %s: %v", step, err)
					return
				}
				mu.Lock()
				acknowledged[step] = at
				mu.Unlock()
			}
		})
	}
	var sights []observation
	readers.Go(func() { sights = look(ctx, t, store) })
	followed := make(chan []storage.LoggedChange, 1)
	go func() { followed <- follow(t, store, count*each) }()
	wg.Wait()
	cancel()
	readers.Wait()
	Verify(t, store, acknowledged)
	log := logged(t, store, storage.Cursor{})
	if got := within(t, "the follower's last change", followed); !slices.Equal(got, log) {
		t.Errorf("a follower saw %d changes that are not the log's %d", len(got), len(log))
	}
	for _, s := range sights {
		if want := fold(t, log[:s.at.Seq]).pairs("", storage.Ascending); !slices.Equal(s.all, want) {
			t.Fatalf("a reader at %s saw %q, and the log says %q", s.at, s.all, want)
		}
	}
}

// look reads whole snapshots until ctx ends.
func look(ctx context.Context, t *testing.T, store storage.Store) []observation {
	var sights []observation
	for len(sights) < 200 && ctx.Err() == nil {
		view(t, store, func(r storage.Reader) {
			sights = append(sights, observation{r.Cursor(), pairs(t, r, "", storage.Ascending)})
		})
	}
	return sights
}

// follow reads the log by Wait and Changes up to entry n.
func follow(t *testing.T, store storage.Store, n int) []storage.LoggedChange {
	var seen []storage.LoggedChange
	var after storage.Cursor
	for len(seen) < n {
		if err := store.Wait(context.Background(), after); err != nil {
			t.Errorf("Wait(%s) = %v", after, err)
			return seen
		}
		some, err := store.Changes(context.Background(), after, 7)
		if err != nil || len(some) == 0 {
			t.Errorf("Changes(%s) after Wait = %v, %v", after, some, err)
			return seen
		}
		seen = append(seen, some...)
		after = seen[len(seen)-1].Cursor
	}
	return seen
}
