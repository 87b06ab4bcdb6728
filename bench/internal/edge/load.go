//go:build linux

package edge

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// measurement is what one server did in one round.
type measurement struct {
	requests int
	took     time.Duration
	busy     time.Duration // of the server's processor
	waits    []float64     // p50, p99 and p999 of an exchange, ms; none if the generator does not say
}

// load has the server answer a scenario for some seconds: every connection has a request under way at any time.
func (s *subject) load(ctx context.Context, sc scenario, seconds int) (m measurement, err error) {
	if err := s.prepare(&sc); err != nil {
		return m, err
	}
	generate := s.wrk
	switch {
	case sc.streams > 0:
		generate = s.h2load
	case sc.full:
		generate = s.openssl
	}
	before, err := s.busy()
	if err != nil {
		return m, err
	}
	if m, err = generate(ctx, sc, seconds); err != nil {
		return m, err
	}
	after, err := s.busy()
	m.busy = after - before
	return m, err
}

// insecure asks servers whose certificate signs itself.
var insecure = &http.Client{Transport: &http.Transport{
	DisableCompression: true, DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // a server of this run, on the loopback
}}

// prepare asks once and checks the answer. It puts the path of this server and the validator of its file into the scenario.
func (s *subject) prepare(sc *scenario) error {
	sc.path = s.path(sc.path)
	want := http.StatusOK
	response, _, err := s.ask(insecure, *sc)
	if err == nil && sc.current {
		sc.headers = append(sc.headers, "If-None-Match: "+response.Header.Get("ETag"))
		want = http.StatusNotModified
		response, _, err = s.ask(insecure, *sc)
	}
	if err == nil && response.StatusCode != want {
		err = fmt.Errorf("GET %s answers %s, want %d", sc.path, response.Status, want)
	}
	return err
}

// ask sends one request and returns the answer and its body.
func (s *subject) ask(c *http.Client, sc scenario) (*http.Response, []byte, error) {
	sc.path = s.path(sc.path)
	request, err := http.NewRequest(http.MethodGet, s.url(sc), http.NoBody)
	if err != nil {
		return nil, nil, err
	}
	for _, line := range sc.headers {
		name, value, _ := strings.Cut(line, ": ")
		request.Header.Set(name, value)
	}
	response, err := c.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response, body, err
}

// path returns the path of a scenario at this server.
func (s *subject) path(of string) string { return cmp.Or(s.paths[of], of) }

func (s *subject) url(sc scenario) string {
	scheme := "http://"
	if s.secure {
		scheme = "https://"
	}
	return scheme + s.address + sc.path + sc.query
}

// wrkScript prints what wrk counted in a form that is read here, and sends several requests at once if it is told so.
const wrkScript = `done = function(summary, latency)
  local e = summary.errors
  io.write(string.format("RESULT %%d %%d %%d %%f %%f %%f\n", summary.requests, summary.duration, e.connect + e.read + e.write + e.status + e.timeout,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, latency:percentile(99.9) / 1000))
end
if %[1]d > 1 then
  init = function() pipeline = string.rep(wrk.format(), %[1]d) end
  request = function() return pipeline end
end
`

var wrkResult = regexp.MustCompile(`RESULT (\d+) (\d+) (\d+) ([\d.]+) ([\d.]+) ([\d.]+)`)

func (s *subject) wrk(ctx context.Context, sc scenario, seconds int) (m measurement, err error) {
	script := filepath.Join(s.dir, "wrk.lua")
	if err := os.WriteFile(script, fmt.Appendf(nil, wrkScript, sc.depth), 0o644); err != nil {
		return m, err
	}
	arguments := []string{"-t1", "-c" + strconv.Itoa(sc.conns), "-d" + strconv.Itoa(seconds) + "s", "-s", script}
	found, err := generate(ctx, wrkResult, "wrk", append(arguments, s.headers(sc)...)...)
	if err != nil {
		return m, err
	}
	if m.requests = int(found[0]); found[2] > 0 {
		return m, fmt.Errorf("wrk counts %.0f errors in %d requests", found[2], m.requests)
	}
	m.took, m.waits = time.Duration(found[1])*time.Microsecond, found[3:]
	return m, nil
}

var h2loadResult = regexp.MustCompile(`requests: (\d+) total, \d+ started, \d+ done, (\d+) succeeded`)

func (s *subject) h2load(ctx context.Context, sc scenario, seconds int) (m measurement, err error) {
	arguments := []string{"-t1", "-c" + strconv.Itoa(sc.conns), "-m" + strconv.Itoa(sc.streams), "-D" + strconv.Itoa(seconds)}
	found, err := generate(ctx, h2loadResult, "h2load", append(arguments, s.headers(sc)...)...)
	if err == nil && found[0] != found[1] {
		err = fmt.Errorf("h2load counts %.0f of %.0f requests that succeeded", found[1], found[0])
	}
	if err == nil {
		m.requests, m.took = int(found[0]), time.Duration(seconds)*time.Second
	}
	return m, err
}

var opensslResult = regexp.MustCompile(`(\d+) connections in (\d+) real seconds`)

// openssl makes a connection for each request, one after the other, and resumes no session. It asks in HTTP/1.0, so the
// rest of a request in HTTP/1.1 is put before that.
func (s *subject) openssl(ctx context.Context, sc scenario, seconds int) (m measurement, err error) {
	request := sc.path + " HTTP/1.1\r\nHost: files.example\r\nConnection: close\r\nUser-Agent: "
	found, err := generate(ctx, opensslResult, "openssl", "s_time", "-connect", s.address, "-www", request, "-new", "-time", strconv.Itoa(seconds))
	if err == nil {
		m.requests, m.took = int(found[0]), time.Duration(found[1])*time.Second
	}
	return m, err
}

// headers are the arguments of wrk and h2load for the headers and the address.
func (s *subject) headers(sc scenario) (arguments []string) {
	for _, line := range sc.headers {
		arguments = append(arguments, "-H", line)
	}
	return append(arguments, s.url(sc))
}

// generate runs a generator on the core of the load and returns the numbers that it prints.
func generate(ctx context.Context, result *regexp.Regexp, program string, arguments ...string) (numbers []float64, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	printed, err := exec.CommandContext(ctx, "taskset", append([]string{"-c", strconv.Itoa(loadCore), program}, arguments...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", program, err)
	}
	found := result.FindStringSubmatch(string(printed))
	if found == nil {
		return nil, fmt.Errorf("%s printed %.300q", program, printed)
	}
	for _, word := range found[1:] {
		n, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", program, err)
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}
