//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"
)

// soak is one long run: Zipf traffic over far more files than the edge's memory holds, a publish every
// second, and what becomes of the edge's memory meanwhile.
type soak struct {
	livery     string // the built binary
	results    string // folder of soak.svg and soak.md
	lasting    time.Duration
	rate       int   // requests a second
	cacheBytes int64 // the edge's memory for files and records

	mu     sync.Mutex // guards window
	window window
}

// window is what was answered since the last sample.
type window struct {
	hits, misses             []time.Duration // what each answer took: of files that the edge held, and of others
	shed, failed             int
	published, publishFailed int
	last                     string // what failed last
}

func (w *window) answers() int { return len(w.hits) + len(w.misses) + w.shed + w.failed }

func (w *window) hitRatio() float64 { return float64(len(w.hits)) / float64(max(1, w.answers())) }

// sample is one point of the plot.
type sample struct {
	window
	at    time.Duration // since the beginning
	lasts time.Duration // of the window
	usage
}

// usage is the edge's memory, in bytes.
type usage struct {
	resident float64 // as the system counts it
	heap     float64 // of Go, free but not given back included
	guests   float64 // linear memory of renderer instances
	held     float64 // counted against the budget
}

// quantile returns how long that part of sorted times took at most; 0 where there are none.
func quantile(took []time.Duration, part float64) time.Duration {
	if len(took) == 0 {
		return 0
	}
	return at(took, part)
}

// askers is how many requests are on their way at most.
const askers = 16

// run soaks, writes the results and returns an error where the edge broke a promise.
func (s *soak) run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "livery-soak-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	w, err := openWorld(ctx, s.livery, dir, s.cacheBytes)
	if err != nil {
		_ = w.close() // what went wrong before is what to tell
		return err
	}
	samples, err := s.soak(ctx, w)
	if ended := w.close(); err == nil {
		err = ended
	}
	if err != nil {
		return err
	}
	if err := s.write(samples); err != nil {
		return err
	}
	return s.judge(samples)
}

// soak has the traffic run, and takes a sample every second or, in a long run, 300 in all.
func (s *soak) soak(ctx context.Context, w *soakWorld) (samples []sample, err error) {
	running, stop := context.WithCancel(ctx)
	var working sync.WaitGroup
	for i := range askers {
		working.Go(func() { s.ask(running, w.popularity(uint64(i))) })
	}
	working.Go(func() { s.publish(running, w) })
	defer working.Wait()
	defer stop()
	began, ticks := time.Now(), time.NewTicker(max(time.Second, s.lasting/300))
	defer ticks.Stop()
	for last := time.Duration(0); last < s.lasting; {
		<-ticks.C
		now := time.Since(began)
		taken, err := s.sample(ctx, w, now, now-last)
		if err != nil {
			return nil, err
		}
		last = now
		samples = append(samples, taken)
		fmt.Fprintf(os.Stderr, "\r%v: %d MiB resident, %.1f%% hits, p99 of hits %v, of misses %v  ", taken.at.Round(time.Second), int(taken.resident)>>20, 100*taken.hitRatio(),
			quantile(taken.hits, 0.99).Round(10*time.Microsecond), quantile(taken.misses, 0.99).Round(10*time.Microsecond))
	}
	fmt.Fprintln(os.Stderr)
	return samples, nil
}

func (s *soak) sample(ctx context.Context, w *soakWorld, at, lasts time.Duration) (sample, error) {
	s.mu.Lock()
	taken := sample{window: s.window, at: at, lasts: lasts}
	s.window = window{last: s.window.last}
	s.mu.Unlock()
	slices.Sort(taken.hits)
	slices.Sort(taken.misses)
	var err error
	taken.usage, err = w.usage(ctx)
	return taken, err
}

// ask sends one request after the other, as often as its share of the rate, until ctx is done.
func (s *soak) ask(ctx context.Context, p *popularity) {
	transport := &http.Transport{DisableCompression: true}
	defer transport.CloseIdleConnections()
	turns := time.NewTicker(time.Second * askers / time.Duration(s.rate))
	defer turns.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-turns.C:
		}
		url, codings := p.next()
		began := time.Now()
		status, hit, err := get(ctx, transport, url, codings)
		if ctx.Err() != nil {
			return // the last one was cut short
		}
		s.count(time.Since(began), url, status, hit, err)
	}
}

// get returns the status of a file and whether the edge held it.
func get(ctx context.Context, t *http.Transport, url, codings string) (status int, hit bool, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return 0, false, err
	}
	request.Header.Set("Accept-Encoding", codings)
	response, err := t.RoundTrip(request)
	if err != nil {
		return 0, false, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, response.Header.Get("Cache-Status") == "livery; hit", err
}

func (s *soak) count(took time.Duration, url string, status int, hit bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err == nil && status == http.StatusOK && hit:
		s.window.hits = append(s.window.hits, took)
	case err == nil && status == http.StatusOK:
		s.window.misses = append(s.window.misses, took)
	case err == nil && status == http.StatusServiceUnavailable:
		s.window.shed++
	default:
		s.window.failed++
		s.window.last = fmt.Sprintf("GET %s = %d, %v", url, status, err)
	}
}

// publish changes one Theme after the other, one a second.
func (s *soak) publish(ctx context.Context, w *soakWorld) {
	turns := time.NewTicker(time.Second)
	defer turns.Stop()
	for n := worldThemes; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-turns.C:
		}
		err := w.publish(ctx, n)
		if ctx.Err() != nil {
			return
		}
		s.mu.Lock()
		if s.window.published++; err != nil {
			s.window.publishFailed++
			s.window.last = err.Error()
		}
		s.mu.Unlock()
	}
}
