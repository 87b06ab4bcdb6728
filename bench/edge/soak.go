//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
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
	took                     []time.Duration
	hits, shed, failed       int
	published, publishFailed int
	last                     string // what failed last
}

// sample is one point of the plot.
type sample struct {
	window
	at       time.Duration // since the beginning
	resident float64       // bytes: the edge's memory as the system counts it
	held     float64       // bytes: what the edge counts against its budget
}

func (s sample) hitRatio() float64 { return float64(s.hits) / float64(max(1, len(s.took))) }

func (s sample) p99() time.Duration {
	if len(s.took) == 0 {
		return 0
	}
	return at(s.took, 0.99)
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
func (s *soak) soak(ctx context.Context, w *world) (samples []sample, err error) {
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
	for time.Since(began) < s.lasting {
		<-ticks.C
		taken, err := s.sample(ctx, w, time.Since(began))
		if err != nil {
			return nil, err
		}
		samples = append(samples, taken)
		fmt.Fprintf(os.Stderr, "\r%v: %d MiB resident, %.1f%% hits, p99 %v ", taken.at.Round(time.Second), int(taken.resident)>>20, 100*taken.hitRatio(), taken.p99().Round(time.Microsecond))
	}
	fmt.Fprintln(os.Stderr)
	return samples, nil
}

func (s *soak) sample(ctx context.Context, w *world, at time.Duration) (sample, error) {
	s.mu.Lock()
	taken := sample{window: s.window, at: at}
	s.window = window{last: s.window.last}
	s.mu.Unlock()
	slices.Sort(taken.took)
	var err error
	if taken.resident, err = w.resident(); err != nil {
		return taken, err
	}
	taken.held, err = w.metric(ctx, "livery_edge_cache_bytes")
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
	s.window.took = append(s.window.took, took)
	switch {
	case err == nil && status == http.StatusOK && hit:
		s.window.hits++
	case err == nil && status == http.StatusOK:
	case err == nil && status == http.StatusServiceUnavailable:
		s.window.shed++
	default:
		s.window.failed++
		s.window.last = fmt.Sprintf("GET %s = %d, %v", url, status, err)
	}
}

// publish changes one Theme after the other, one a second.
func (s *soak) publish(ctx context.Context, w *world) {
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

// judge returns an error where an answer was wrong, or more was held than the budget.
func (s *soak) judge(samples []sample) error {
	total := sum(samples)
	var broken []string
	if most := highest(samples, func(s sample) float64 { return s.held }); most > float64(s.cacheBytes) {
		broken = append(broken, fmt.Sprintf("%.0f bytes were held, the budget is %d", most, s.cacheBytes))
	}
	if total.failed > 0 || total.publishFailed > 0 {
		broken = append(broken, fmt.Sprintf("%d requests and %d publishes failed; the last: %s", total.failed, total.publishFailed, total.last))
	}
	if len(broken) > 0 {
		return fmt.Errorf("soak: %s", strings.Join(broken, "; "))
	}
	return nil
}

// sum adds the windows of samples up.
func sum(samples []sample) (total window) {
	for _, s := range samples {
		total.took = append(total.took, s.took...)
		total.hits += s.hits
		total.shed += s.shed
		total.failed += s.failed
		total.published += s.published
		total.publishFailed += s.publishFailed
		total.last = s.last
	}
	slices.Sort(total.took)
	return total
}

func highest(samples []sample, of func(sample) float64) (most float64) {
	for _, s := range samples {
		most = max(most, of(s))
	}
	return most
}

// write writes the plot and the page around it.
func (s *soak) write(samples []sample) error {
	if err := os.WriteFile(filepath.Join(s.results, "soak.svg"), plot(samples, s.cacheBytes), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.results, "soak.md"), s.page(samples), 0o644)
}

// page tells what was run and what came of it. Memory is told for two halves: a leak shows in the
// second one.
func (s *soak) page(samples []sample) []byte {
	const mib = 1 << 20
	resident := func(s sample) float64 { return s.resident }
	total, half := sum(samples), len(samples)/2
	whole := sample{window: total}
	var b strings.Builder
	fmt.Fprintf(&b, "# A soak of the edge\n\n%s, `go run ./bench/edge -soak %v -livery bin/livery`, %s, %s/%s, %d cores.\n\n",
		time.Now().UTC().Format(time.DateOnly), s.lasting, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	fmt.Fprintf(&b, "An origin and an edge in processes of their own, the edge cold and with a memory budget of %d MiB for files: at most %d requests a second by Zipf's law\n"+
		"over %d files and %d more with every publish, one publish a second, in four codings.\n\n![memory, hits and p99 over time](soak.svg)\n\n",
		s.cacheBytes/mib, s.rate, worldThemes*(1+worldVariants)*len(worldFiles), (1+worldVariants)*len(worldFiles))
	fmt.Fprintf(&b, "| | |\n|-|-:|\n| requests answered | %d |\n| of them hits | %.1f%% |\n| told to come again (503) | %d |\n| failed | %d |\n| publishes, of them failed | %d, %d |\n",
		len(total.took), 100*whole.hitRatio(), total.shed, total.failed, total.published, total.publishFailed)
	fmt.Fprintf(&b, "| p50, p99 of all answers | %v, %v |\n", at(total.took, 0.5).Round(time.Microsecond), whole.p99().Round(time.Microsecond))
	fmt.Fprintf(&b, "| most held, of the budget | %.1f of %d MiB |\n", highest(samples, func(s sample) float64 { return s.held })/mib, s.cacheBytes/mib)
	fmt.Fprintf(&b, "| highest resident memory, first half and second | %.0f and %.0f MiB |\n", highest(samples[:half], resident)/mib, highest(samples[half:], resident)/mib)
	return []byte(b.String())
}
