package origin_test

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// maxT is how far the means may lie apart, in standard errors: a difference beyond it is none of chance.
const maxT = 4.5

// A100: what is missing and what is another Team's take the same time, by Welch's t over 20,000 requests in random
// order on one connection. It takes half a minute and a machine that has little else to do: make suite NAME=timing.
func TestMissingAndForeignTakeTheSameTime(t *testing.T) {
	if os.Getenv("LIVERY_TIMING") == "" {
		t.Skip("set LIVERY_TIMING=1, or run make suite NAME=timing")
	}
	h := newTestOrigin(t)
	themes := "/environments/" + h.foreign + "/themes"
	foreign := themes + "/" + h.do(stranger, "POST", themes, `{"slug":"there","displayName":"There"}`).text(t, "id")
	missing := "env_" + strings.Repeat("0", 26)
	for name, pair := range map[string][2]string{
		"an Environment": {"/environments/" + missing, "/environments/" + h.foreign},
		"a Theme":        {"/environments/" + missing + "/themes/" + idOf(foreign), foreign},
		"a Variant":      {"/environments/" + missing + "/themes/" + idOf(foreign) + "/variants/var_" + strings.Repeat("0", 26), foreign + "/variants/var_" + strings.Repeat("0", 26)},
	} {
		times := h.timed(pair, 20_000)
		stat := welch(within(times[0]), within(times[1]))
		t.Logf("%s: t = %.2f; medians %v and %v", name, stat, median(times[0]), median(times[1]))
		if math.Abs(stat) >= maxT {
			t.Errorf("%s: t = %.2f, want less than %v either way", name, stat, maxT)
		}
	}
}

// timed asks for both paths n times in all, in random order on one connection, and returns how long each took.
func (h *testOrigin) timed(paths [2]string, n int) (times [2][]float64) {
	h.t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(h.base, "http://"))
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	var texts [2]string
	token := h.token(owner)
	for i, path := range paths {
		texts[i] = fmt.Sprintf("GET %s%s HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\n\r\n", apiPath, path, token)
	}
	r := bufio.NewReader(c)
	for i := range n + 200 {
		which := rand.IntN(2)
		started := time.Now()
		if _, err := io.WriteString(c, texts[which]); err != nil {
			h.t.Fatal(err)
		}
		answer, err := http.ReadResponse(r, nil)
		if err != nil {
			h.t.Fatal(err)
		}
		took := time.Since(started)
		if _, err := io.Copy(io.Discard, answer.Body); err != nil || answer.StatusCode != http.StatusNotFound {
			h.t.Fatalf("%s = %d, %v, want 404", paths[which], answer.StatusCode, err)
		}
		if i >= 200 { // the first ones warm up
			times[which] = append(times[which], float64(took))
		}
	}
	return times
}

// within leaves out the slowest tenth, in which the scheduler speaks and not the program.
func within(times []float64) []float64 {
	times = slices.Sorted(slices.Values(times))
	return times[:len(times)*9/10]
}

func median(times []float64) time.Duration {
	return time.Duration(slices.Sorted(slices.Values(times))[len(times)/2])
}

// welch is Welch's t of two samples.
func welch(a, b []float64) float64 {
	meanA, varA := moments(a)
	meanB, varB := moments(b)
	return (meanA - meanB) / math.Sqrt(varA/float64(len(a))+varB/float64(len(b)))
}

func moments(x []float64) (mean, variance float64) {
	for _, v := range x {
		mean += v
	}
	mean /= float64(len(x))
	for _, v := range x {
		variance += (v - mean) * (v - mean)
	}
	return mean, variance / float64(len(x)-1)
}
