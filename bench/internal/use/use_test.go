//go:build linux

package use

import (
	"math"
	"slices"
	"testing"

	"example.com/livery/bench/internal/figures"
)

// Rank n is drawn in proportion to 1/(n+1)^skew.
func TestPopularityIsZipfs(t *testing.T) {
	const draws, ranks, skew = 200_000, 100, 0.9
	p := newPopularity(ranks, skew, 3)
	counts := make([]int, ranks)
	for range draws {
		counts[p.next()]++
	}
	for _, rank := range []int{1, 9, 49} {
		want := math.Pow(float64(rank+1), -skew)
		if got := float64(counts[rank]) / float64(counts[0]); math.Abs(got-want) > 0.15*want {
			t.Errorf("rank %d is drawn %.3f times as often as the first, want %.3f", rank, got, want)
		}
	}
	if counts[ranks-1] == 0 {
		t.Error("the last rank is never drawn")
	}
}

// Hits are told from misses by what the edge says of itself, and refusals from both.
func TestAnswersAreTold(t *testing.T) {
	var tr traffic
	for _, head := range []string{
		"HTTP/1.1 200 OK\r\nCache-Status: livery; hit\r\n\r\n",
		"HTTP/1.1 200 OK\r\nCache-Status: livery; fwd=miss\r\n\r\n",
		"HTTP/1.1 200 OK\r\nCache-Status: livery; fwd=miss\r\n\r\n",
		"HTTP/1.1 503 Service Unavailable\r\n\r\n",
		"HTTP/1.1 404 Not Found\r\n\r\n",
	} {
		tr.count(1, []byte(head))
	}
	if len(tr.hits) != 1 || len(tr.misses) != 2 || tr.shed != 1 || tr.failed != 1 {
		t.Errorf("%d hits, %d misses, %d shed, %d failed", len(tr.hits), len(tr.misses), tr.shed, tr.failed)
	}
}

func TestTrafficIsTold(t *testing.T) {
	tr := traffic{hits: figures.Times{1e6, 2e6, 3e6}, busy: 3e6, resident: 2 << 20}
	var set figures.Set
	tr.report(&set, "", "Themes", 10)
	if f, ok := set.Find("hits", "", "p50 from due, ms", 10); !ok || f.Value != 2 {
		t.Errorf("p50 of hits = %+v, %v", f, ok)
	}
	if f, _ := set.Find("edge", "", "µs of processor a request", 10); f.Value != 1000 {
		t.Errorf("a request costs %v, want 1000", f.Value)
	}
	if slices.ContainsFunc(set.Figures, func(f figures.Figure) bool { return f.Name == "misses" }) {
		t.Error("misses that never were are told")
	}
}

// An edge is given a third more memory than the files take.
func TestCacheHoldsSoManyFiles(t *testing.T) {
	if got := cacheFor(300, 1000); got != 400_000 {
		t.Errorf("cacheFor(300, 1000) = %d, want 400,000", got)
	}
}
