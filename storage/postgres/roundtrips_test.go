package postgres_test

import (
	"context"
	"errors"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"example.com/livery/storage"
	"example.com/livery/storage/postgres"
	"example.com/livery/storage/record"
)

// questions is a road to a server that counts what is asked: how often a connection sends something after an
// answer.
type questions struct {
	net.Listener
	to    string
	mu    sync.Mutex // guards below
	asked map[int]int
	texts map[int]string
}

func (a *alone) questions(t *testing.T) *questions {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	q := &questions{Listener: l, to: net.JoinHostPort("127.0.0.1", strconv.Itoa(a.Port)), asked: map[int]int{}, texts: map[int]string{}}
	var wg sync.WaitGroup
	wg.Go(func() {
		for n := 0; ; n++ {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { q.pass(n, conn) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		wg.Wait()
	})
	return q
}

func (q *questions) pass(n int, from net.Conn) {
	defer func() { _ = from.Close() }()
	to, err := net.Dial("tcp", q.to)
	if err != nil {
		return
	}
	defer func() { _ = to.Close() }()
	var answered atomic.Bool
	answered.Store(true)
	var wg sync.WaitGroup
	wg.Go(func() {
		defer func() { _ = to.Close() }()
		copyEach(to, from, func(b []byte) {
			q.mu.Lock()
			defer q.mu.Unlock()
			q.texts[n] += string(b)
			if answered.Swap(false) {
				q.asked[n]++
			}
		})
	})
	copyEach(from, to, func([]byte) { answered.Store(true) })
	_ = from.Close()
	wg.Wait()
}

// copyEach copies until either side ends, and shows note what it copies before it does.
func copyEach(to, from net.Conn, note func([]byte)) {
	b := make([]byte, 64<<10)
	for {
		n, err := from.Read(b)
		if n > 0 {
			note(b[:n])
			if _, err := to.Write(b[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// counted opens a store whose questions are counted.
func (a *alone) counted(t *testing.T) (*postgres.Store, *questions) {
	t.Helper()
	schema := a.schema(t)
	a.reopen(t, schema, postgres.Options{}) // makes the tables
	q := a.questions(t)
	url := strings.Replace(a.URL("&search_path="+schema), strconv.Itoa(a.Port), strconv.Itoa(q.Addr().(*net.TCPAddr).Port), 1)
	s, err := postgres.Open(context.Background(), url, postgres.Options{Alone: true, Logger: quiet, MaxConnections: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, q
}

// What a View is expected to read takes one round trip, with its snapshot's end.
func TestAViewTakesOneRoundTrip(t *testing.T) {
	s, q := one(t).counted(t)
	const warm, views = 5, 50
	key := [][]byte{[]byte("K")}
	for _, tt := range []struct {
		reads storage.Reads
		want  int
	}{
		{storage.Reads{Keys: key, All: true}, 1},
		{storage.Reads{Keys: key, Prefixes: key, All: true}, 1},
		{storage.Reads{Keys: key}, 2},
		{storage.Reads{Prefixes: key, All: true}, 4}, // of them three for a snapshot, because more is read
	} {
		view := func() {
			err := s.View(storage.WithReads(context.Background(), tt.reads), func(r storage.Reader) error {
				if _, err := r.Get(key[0]); !errors.Is(err, storage.ErrNotFound) {
					return err
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		for range warm { // statements are prepared
			view()
		}
		before := q.total()
		for range views {
			view()
		}
		if got := q.total() - before; got > tt.want*views+warm {
			t.Errorf("%d Views that expect %+v took %d round trips, want %d each", views, tt.reads, got, tt.want)
		}
	}
}

// Views at once that read what they are expected to share round trips, and each sees what was committed before it.
func TestViewsAtOnceShareRoundTrips(t *testing.T) {
	s, q := one(t).counted(t)
	const viewers, each = 10, 20
	var wg sync.WaitGroup
	before := q.total()
	for v := range viewers {
		key := []byte("K" + strconv.Itoa(v))
		wg.Go(func() {
			for n := range each {
				want := strconv.Itoa(n)
				if _, err := s.Update(context.Background(), "e", set(string(key), want)); err != nil {
					t.Errorf("Update() = %v", err)
				}
				reads := storage.Reads{Keys: [][]byte{key}, Prefixes: [][]byte{key}, All: true}
				for range 10 {
					if err := s.View(storage.WithReads(context.Background(), reads), func(r storage.Reader) error {
						value, err := r.Get(key)
						scanned := 0
						err = errors.Join(err, r.Scan(key, storage.Ascending, func(_, v []byte) bool {
							scanned++
							return string(v) == want
						}))
						if string(value) != want || scanned != 1 {
							t.Errorf("Get(%s) = %q and %d scanned, want %s and 1", key, value, scanned, want)
						}
						return err
					}); err != nil {
						t.Errorf("View() = %v", err)
					}
				}
			}
		})
	}
	wg.Wait()
	const views, commits = viewers * each * 10, viewers * each
	if got := q.total() - before; got > views/2+5*commits {
		t.Errorf("%d Views and %d commits took %d round trips", views, commits, got)
	}
}

// Blobs that are put at once go together: fewer round trips than blobs.
func TestBlobsThatArePutAtOnceShareRoundTrips(t *testing.T) {
	s, q := one(t).counted(t)
	const putters, each = 10, 20
	var wg sync.WaitGroup
	before := q.total()
	for p := range putters {
		wg.Go(func() {
			for n := range each {
				blob := []byte(strconv.Itoa(p) + "." + strconv.Itoa(n))
				name, err := s.PutBlob(context.Background(), blob)
				if err != nil {
					t.Errorf("PutBlob() = %v", err)
				}
				if got, err := s.Blob(context.Background(), name); err != nil || string(got) != string(blob) {
					t.Errorf("Blob() = %q, %v, want %q", got, err, blob)
				}
			}
		})
	}
	wg.Wait()
	const reads = putters * each
	if puts := q.total() - before - reads; puts > putters*each/2 {
		t.Errorf("%d blobs took %d round trips", putters*each, puts)
	}
}

// A commit takes a snapshot, which is one round trip to begin and one to end, and two round trips of the
// transaction; a blob is put in one. What notifies other origins is not a part of it.
func TestACommitTakesFewRoundTrips(t *testing.T) {
	s, q := one(t).counted(t)
	write := func(n int) {
		t.Helper()
		if _, err := s.PutBlob(context.Background(), []byte(strconv.Itoa(n))); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Update(context.Background(), "e", func(tx storage.Tx) (record.Change, error) {
			keys := [][]byte{[]byte("K1"), []byte("K2"), []byte("K3")}
			if err := storage.Prefetch(tx, keys...); err != nil {
				return record.Change{}, err
			}
			for _, key := range keys {
				if _, err := tx.Get(key); err != nil && !errors.Is(err, storage.ErrNotFound) {
					return record.Change{}, err
				}
			}
			return record.Change{}, tx.Set(keys[0], []byte(strconv.Itoa(n)))
		}); err != nil {
			t.Fatal(err)
		}
	}
	const warm, commits = 10, 50
	for n := range warm { // statements are prepared
		write(n)
	}
	before := q.total()
	for n := range commits {
		write(warm + n)
	}
	// The blob, the snapshot's begin, its reads and its end, and the two of the transaction.
	const want = 6
	if got := q.total() - before; got > want*commits+warm {
		t.Errorf("%d commits with a blob each took %d round trips, want %d each", commits, got, want)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for n, text := range q.texts {
		if strings.Contains(text, "NOTIFY") && strings.Contains(text, "INSERT") {
			t.Errorf("connection %d writes and notifies", n)
		}
	}
}

// total is how often was asked, but for what follows the log.
func (q *questions) total() (n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, asked := range q.asked {
		if !strings.Contains(q.texts[i], "LISTEN") {
			n += asked
		}
	}
	return n
}
