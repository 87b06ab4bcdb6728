package deploy_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/livery/edge/address"
	"example.com/livery/edge/live"
	"example.com/livery/edge/policy"
	"example.com/livery/storage/record"
)

// proxies starts each shipped configuration before the site.
var proxies = map[string]func(t *testing.T) *proxy{"nginx/livery.conf": startNginx, "caddy/Caddyfile": startCaddy, "envoy/envoy.yaml": startEnvoy}

// unlikeEdge are headers that a proxy may add, remove or change.
var unlikeEdge = []string{"Age", "Alt-Svc", "Cache-Status", "Connection", "Date", "Server", "Server-Timing", "Transfer-Encoding", "Via", "X-Accel-Buffering", "X-Request-Id", "X-Envoy-Upstream-Service-Time"}

// addressForms returns addresses of every form that an edge serves, and of forms that it refuses: paths with queries.
func addressForms(t *testing.T) (forms []string) {
	t.Helper()
	secret, err := base64.RawURLEncoding.DecodeString(read(t, site.keys))
	if err != nil {
		t.Fatal(err)
	}
	key := record.SigningKey{ID: strings.TrimPrefix(filepath.Ext(site.keys), "."), Secret: secret}
	until := time.Now().AddDate(2, 0, 0) // no lifetime of an answer is cut by it
	signed := func(form, signedForm string) string {
		separator := "?"
		if strings.Contains(form, "?") {
			separator = "&"
		}
		return form + separator + policy.Sign(signedForm, until, key)
	}
	for _, pinned := range []string{site.public, site.signed} {
		theme, _, _ := strings.Cut(pinned, "-/")
		folder := policy.SignFolder(theme, until, key)
		for _, css := range []string{pinned, strings.Replace(pinned, "/1/", "/latest/", 1)} {
			forms = append(forms, css, strings.Replace(css, ".css", ".json", 1), css+"?v=1", css+"?v=100%25", css+"?v=1&modes=scheme.dark",
				css+"?Modes=scheme.dark", css+"?mod%65s=scheme.dark", css+"?modes", css+"?modes=", css+"?modes=scheme.dark&modes=scheme", css+"?modes=scheme%252Ccontrast",
				signed(css, css), css+"?"+folder)
			for _, modes := range []string{
				"scheme", "scheme.dark", "contrast.more", "scheme,contrast", "scheme%2Ccontrast", "scheme.dark,contrast.more", "scheme.dark%2Ccontrast.more", "scheme%2edark",
			} {
				moded := css + "?modes=" + modes
				forms = append(forms, moded, moded+"&v=1", signed(moded, strings.NewReplacer("%2C", ",", "%2e", ".").Replace(moded)), moded+"&"+folder)
			}
		}
		for _, other := range []string{theme + "manifest.json", theme + "-/latest/events"} {
			forms = append(forms, other, other+"?v=1", signed(other, other), other+"?"+folder)
		}
	}
	return forms
}

// TestAddressFormsAreAll: addressForms has an address of each resource, and one with each parameter that an answer depends on,
// at a version and at latest.
func TestAddressFormsAreAll(t *testing.T) {
	served := map[string]bool{}
	edge := newAsker("http", new(http.Transport))
	for _, form := range addressForms(t) {
		path, query, _ := strings.Cut(form, "?")
		a, resource, ok := address.ParseAny([]byte(path), []byte(query), nil)
		if !ok || edge.ask(t, form, "").status != http.StatusOK {
			continue
		}
		served[fmt.Sprint("resource ", resource)] = true
		for parameter := range address.ParameterCount {
			if strings.Contains("&"+query, "&"+parameter.String()+"=") {
				served[fmt.Sprint(parameter, " at a version: ", a.Version > 0)] = true
			}
		}
	}
	for resource := range address.ResourceCount {
		if name := fmt.Sprint("resource ", resource); !served[name] {
			t.Errorf("no served form has %s", name)
		}
	}
	for parameter := range address.ParameterCount {
		for _, pinned := range []bool{false, true} {
			if name := fmt.Sprint(parameter, " at a version: ", pinned); !served[name] {
				t.Errorf("no served form has %s", name)
			}
		}
	}
}

// TestProxiesAnswerAsTheEdge sends every form of address through every shipped configuration, twice in a row, in one order and
// in the other, and compares what comes back with the edge's own answer: no form gets what was stored for another.
func TestProxiesAnswerAsTheEdge(t *testing.T) {
	named := regexp.MustCompile("`([a-z]+/[A-Za-z.]+)`").FindAllStringSubmatch(read(t, "proxies.md"), -1)
	for _, name := range named {
		if _, err := os.Stat(name[1]); err == nil && proxies[name[1]] == nil {
			t.Errorf("proxies.md names %s, which is not in the table of this test", name[1])
		}
	}
	forms := addressForms(t)
	reversed := slices.Clone(forms)
	slices.Reverse(reversed)
	edge := newAsker("http", new(http.Transport))
	for name, start := range proxies {
		t.Run(name, func(t *testing.T) {
			for _, forms := range [][]string{forms, reversed} {
				for _, encoding := range []string{"", "gzip"} {
					before := newAsker("https", start(t).transport(false))
					for _, form := range forms {
						edge.ask(t, form, encoding) // the answer that a file is made for may lack its digest
						want := edge.ask(t, form, encoding)
						for range 2 {
							if what := before.ask(t, form, encoding).differs(want); what != "" {
								t.Errorf("%s of coding %q, then the edge's own: %s", form, encoding, what)
							}
						}
					}
				}
			}
		})
	}
}

// TestProxiesWaitForSignsOfLife: no shipped configuration ends a stream in which nothing but heartbeats move.
func TestProxiesWaitForSignsOfLife(t *testing.T) {
	idle := regexp.MustCompile(`(?m)^\s*[^#\n]*\b(?:proxy_read_timeout|proxy_send_timeout|send_timeout|idle_timeout|read_timeout|write_timeout|stream_timeout)\b:?\s+(\w+)`)
	for name := range proxies {
		for _, found := range idle.FindAllStringSubmatch(read(t, name), -1) {
			if d, err := time.ParseDuration(found[1]); err != nil || d <= live.Heartbeat {
				t.Errorf("%s: %s, and an edge is silent for %v", name, strings.TrimSpace(found[0]), live.Heartbeat)
			}
		}
	}
}

// asker asks the edge, or the proxy before it.
type asker struct {
	scheme string
	http.RoundTripper
}

func newAsker(scheme string, to *http.Transport) asker {
	to.DisableCompression = true
	return asker{scheme, to}
}

// formAnswer is an answer without what a proxy may change.
type formAnswer struct {
	status int
	header http.Header
	body   string
}

// differs returns what is not the same in another answer, and what it is there; "" if nothing is.
func (a formAnswer) differs(from formAnswer) string {
	if a.status != from.status {
		return fmt.Sprint("status ", a.status, ", ", from.status)
	}
	names := maps.Clone(a.header)
	maps.Copy(names, from.header)
	for name := range names {
		if !slices.Equal(a.header[name], from.header[name]) {
			return fmt.Sprintf("%s %q, %q", name, a.header[name], from.header[name])
		}
	}
	if a.body != from.body {
		return fmt.Sprintf("body %q, %q", a.body, from.body)
	}
	return ""
}

// ask gets an address in a coding. Of an event stream it reads the first event.
func (a asker) ask(t *testing.T, form, encoding string) formAnswer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	host := "cdn.example.com"
	if a.scheme == "http" {
		host = strings.TrimPrefix(site.EdgeURL, "http://")
	}
	path, query, _ := strings.Cut(form, "?")
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.URL = &url.URL{Scheme: a.scheme, Host: host, Path: path, RawQuery: query}
	if encoding != "" {
		request.Header.Set("Accept-Encoding", encoding)
	}
	response, err := a.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	got := formAnswer{response.StatusCode, response.Header, bodyOf(t, response)}
	for _, name := range unlikeEdge {
		got.header.Del(name)
	}
	if encoding != "" { // an edge may encode a file smaller later on
		for _, name := range []string{"Content-Length", "Etag", "Repr-Digest"} {
			got.header.Del(name)
		}
	}
	return got
}

// bodyOf reads the body of an answer, without its coding; of an event stream the first event.
func bodyOf(t *testing.T, response *http.Response) string {
	t.Helper()
	if response.Header.Get("Content-Type") == "text/event-stream" {
		event := ""
		for lines := bufio.NewScanner(response.Body); lines.Scan() && !strings.Contains(event, "data:"); {
			if line := lines.Text(); !strings.HasPrefix(line, "retry:") { // each stream has its own
				event += line + "\n"
			}
		}
		return event
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.Header.Get("Content-Encoding") == "gzip" {
		plain, err := gzip.NewReader(bytes.NewReader(body))
		if err == nil {
			body, err = io.ReadAll(plain)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return string(body)
}
