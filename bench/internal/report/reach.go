package report

import (
	"fmt"
	"strings"

	"example.com/livery/bench/internal/figures"
)

// reach is a figure that the project set itself to reach (its performance plan).
type reach struct {
	part     string // whose figures it is measured with
	what     string
	want     float64
	atLeast  bool // want is the least; else the most
	unit     string
	measured func(all *results) (value float64, ok bool)
	behind   string // why it is missed, if it is
}

// The units of the edge's figures that are compared.
const (
	cost   = "µs of processor a request"
	p99    = "p99, ms"
	brands = "one more brand, synthetic"
)

var reaches = []reach{
	{"peers", "10,000 tokens to all five files, native", 20, false, "ms", value("peers", "the whole document, synthetic", "livery", "ms", 0), "A time, not a ratio: it follows the machine's. The peers of the same run say how slow that was."},
	{"peers", "one more brand beside the best peer, from its compiled overlay to a file", 1000, true, "times", cheaper("peers", brands, "livery, compiled", "ms", "Style Dictionary", "Terrazzo"), ""},
	{
		"peers", "one more brand beside the best peer, from its overrides' text to all five files", 1000, true, "times", cheaper("peers", brands, "livery", "ms", "Style Dictionary", "Terrazzo"),
		"Overrides are compiled for five files where the peers make one, and once, when they are published: what is served is made from the compiled overlay, the row above.",
	},
	{"render", "growth of compiling plans, 500 to 10,000 tokens, beside the tokens' own", 1.2, false, "times", grows("render", "compile all plans", "µs", 500, 10_000), "Allocations grow more slowly than the tokens. What is made of 10,000 tokens does not fit the nearer caches, which other work on the machine shares: quieter runs gave 1.18, busier ones 1.43."},
	{"runtime", "a render in WebAssembly, 2,000 tokens and 50 overrides, beside native", 5, false, "times", value("runtime", "one render, 50 overrides", "WASM", "times native", 2000), ""},
	{"runtime", "a render in WebAssembly, 10,000 tokens and 10 overrides, beside native", 2, false, "times", value("runtime", "one render, 10 overrides", "WASM", "times native", 10_000), ""},
	{"runtime", "start of the renderer from the cache of compiled modules", 100, false, "ms", value("runtime", "start from the cache", "", "ms", 0), ""},
	{"runtime", "renders a second on two instances", 20_000, true, "renders/s", value("runtime", "renders on several instances", "", "renders/s", 2), "Two instances do not get two cores on a machine that does other work."},
	{"runtime", "an instance with a plan, resident", 6e6, false, "bytes", value("runtime", "an instance with a plan of 2,000 tokens, resident", "", "bytes", 0), ""},
	edgeReach("2 KB, 64 connections", 1.2, "What is left is the kernel's TCP: above nine tenths of the time is spent there."),
	edgeReach("20 KB as gzip", 1.4, "The kernel copies the body; a smaller part of the whole is Livery's own to save."),
	edgeReach("304", 1.2, "An answer without a body leaves the kernel's work alone to compare."),
	edgeReach("2 KB, 512 connections", 1.3, "Many connections with one request each a round: fewer answers leave for each wake-up."),
	edgeReach("2 KB, a new connection each", 1, "The kernel's accept and close are nearly all of it; nginx defers its accept likewise."),
	edgeReach("20 KB identity", 1, "The body is copied into the socket, which sendfile saves nginx."),
	edgeReach("200 KB identity", 0.8, "The body is copied into the socket, which sendfile saves nginx."),
	{"edge", "p99 at 64 connections beside the better nginx", 1, false, "times", func(all *results) (float64, bool) {
		ours, ok := all.find("edge", "2 KB, 64 connections", "livery", p99, 0)
		theirs, found := all.lowest("edge", "2 KB, 64 connections", p99, "nginx sendfile", "nginx buffers")
		return ours.Low / theirs, ok && found && theirs > 0
	}, "A tail is the machine's too: with other work on the cores it says little."},
	{"guard", "allocations of a hit", 0, false, "allocations", value("guard", "hit on the fast path", "", "allocations", 0), ""},
	{"management", "64 writers beside one, syncs of 1 ms and more", 10, true, "times", func(all *results) (float64, bool) {
		return all.ratioOf("management", "64 writers in one Environment, 20 tokens, slow")
	}, "Callers and origin share the cores: with two of them the writers wait for the processor before they wait for the disk."},
}

// edgeReach is the capacity of a core beside the better nginx: how many requests livery answers for one
// of nginx's, by processor time. Other work on the machine can only add to a cost, so the quarter of the
// rounds that was quietest is compared.
func edgeReach(scenario string, want float64, behind string) reach {
	return reach{"edge", "capacity of a core beside the better nginx, " + scenario, want, true, "times", func(all *results) (float64, bool) {
		ours, ok := all.find("edge", scenario, "livery", cost, 0)
		theirs, found := all.lowest("edge", scenario, cost, "nginx sendfile", "nginx buffers")
		if !ok || !found || ours.Low <= 0 {
			return 0, false
		}
		return theirs / ours.Low, true
	}, behind}
}

func value(part, name, subject, unit string, at float64) func(*results) (float64, bool) {
	return func(all *results) (float64, bool) {
		f, ok := all.find(part, name, subject, unit, at)
		return f.Value, ok
	}
}

// cheaper is how many times a subject's figure is in the lowest of others'.
func cheaper(part, name, subject, unit string, others ...string) func(*results) (float64, bool) {
	return func(all *results) (float64, bool) {
		ours, ok := all.find(part, name, subject, unit, 0)
		if !ok || ours.Value <= 0 {
			return 0, false
		}
		best := 0.0
		for _, other := range others {
			if f, ok := all.find(part, name, other, unit, 0); ok && (best == 0 || f.Value < best) {
				best = f.Value
			}
		}
		return best / ours.Value, best > 0
	}
}

// grows is how many times a figure grows between two points, beside how many times what it grows with
// does: 1 is linear.
func grows(part, name, unit string, from, to float64) func(*results) (float64, bool) {
	return func(all *results) (float64, bool) {
		small, ok := all.find(part, name, "", unit, from)
		large, found := all.find(part, name, "", unit, to)
		if !ok || !found || small.Low <= 0 {
			return 0, false
		}
		return large.Low / small.Low * from / to, true
	}
}

// lowest returns the lowest figure of some subjects, in the rounds of which a quarter was lower.
func (all *results) lowest(part, name, unit string, subjects ...string) (lowest float64, ok bool) {
	for _, s := range subjects {
		if f, found := all.find(part, name, s, unit, 0); found && (!ok || f.Low < lowest) {
			lowest, ok = f.Low, true
		}
	}
	return lowest, ok
}

// ratioOf returns the ratio that a part tells of a figure itself.
func (all *results) ratioOf(part, name string) (float64, bool) {
	r := all.Parts[part]
	if r == nil || r.Set == nil {
		return 0, false
	}
	for _, f := range r.Set.Figures {
		if f.Name == name && strings.HasPrefix(f.Unit, "ratio") {
			return f.Value, true
		}
	}
	return 0, false
}

// reached reports whether a value is at least as good as was wanted.
func (r reach) reached(value float64) bool {
	if r.atLeast {
		return value >= r.want
	}
	return value <= r.want
}

// wanted spells what is to be reached.
func (r reach) wanted() string {
	if r.atLeast {
		return fmt.Sprintf("at least %s %s", figures.Spell(r.want), r.unit)
	}
	return fmt.Sprintf("at most %s %s", figures.Spell(r.want), r.unit)
}
