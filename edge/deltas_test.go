package edge_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/livery/edge"
	"example.com/livery/storage/record"
	"github.com/klauspost/compress/zstd"
)

// editedTheme is variedTheme with its first values changed.
func editedTheme(values int) string { return strings.Replace(variedTheme(), `px"}`, `rem"}`, values) }

const acceptsDeltas = "Accept-Encoding: gzip, deflate, br, zstd, dcb, dcz"

// has spells that a client has a file as its dictionary.
func has(content string) string {
	sum := sha256.Sum256([]byte(content))
	return "Available-Dictionary: :" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
}

// undelta decodes the body of a delta, as a client does.
func undelta(t testing.TB, got response, dictionary string) string {
	t.Helper()
	sum := sha256.Sum256([]byte(dictionary))
	frame, ok := strings.CutPrefix(got.body, "\x5e\x2a\x4d\x18\x20\x00\x00\x00"+string(sum[:]))
	if !ok || got.status != 200 || got.header.Get("Content-Encoding") != "dcz" {
		t.Fatalf("no delta: %d %v", got.status, got.header)
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderDictRaw(0, []byte(dictionary)))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	content, err := d.DecodeAll([]byte(frame), nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// offer is the Use-As-Dictionary of a file of a line.
func offer(variant, file string) string {
	return `match="/` + env + "/" + thm + "/" + variant + "/*/" + file + `"`
}

// Every whole answer that every page may read offers itself as a dictionary of its line, whatever it is
// encoded in; a part, the news that nothing changed and a refusal offer nothing.
func TestAnswersOfferThemselvesAsDictionaries(t *testing.T) {
	f := newFeed(t)
	f.publish(thm, variedTheme())
	f.override(thm, brand, 1, `{}`, true)
	r := run(t, f)
	for range 2 { // made, and from memory
		for _, variant := range []string{"-", brand} {
			for _, version := range []string{"1", "latest"} {
				for _, coding := range []string{"identity", "gzip", "br"} {
					got := r.get(path(variant, version, "tokens.css"), "Accept-Encoding: "+coding)
					header(t, got, "Use-As-Dictionary", offer(variant, "tokens.css"))
					header(t, got, "Vary", "Accept-Encoding, Available-Dictionary")
				}
			}
		}
	}
	address := path("-", "1", "tokens.dtcg.json")
	got := r.do(http.MethodHead, address)
	header(t, got, "Use-As-Dictionary", offer("-", "tokens.dtcg.json"))
	tag := got.header.Get("Etag")
	for name, got := range map[string]response{
		"a part": r.get(address, "Range: bytes=0-4"), "the news that nothing changed": r.get(address, "If-None-Match: "+tag),
		"what is not there": r.get(path("-", "9", "tokens.css")), "a preflight": r.do(http.MethodOptions, address),
	} {
		if got.header.Get("Use-As-Dictionary") != "" {
			t.Errorf("%s: %d %v", name, got.status, got.header)
		}
	}
	header(t, r.get(address, "Range: bytes=0-4"), "Vary", "Accept-Encoding, Available-Dictionary")
	header(t, r.get(address, "If-None-Match: "+tag), "Vary", "Accept-Encoding, Available-Dictionary")
}

// A file that fits into a packet is neither a dictionary nor a delta.
func TestSmallFilesAreNoDictionaries(t *testing.T) {
	r := run(t, publishedFeed(t))
	got := r.get(path("-", "1", "tokens.css"))
	header(t, got, "Use-As-Dictionary", "")
	header(t, got, "Vary", "Accept-Encoding")
}

// Who has an older version is sent what changed since, at the new number and at latest, the first time
// too, and gets the very bytes of the file.
func TestChangedFilesAreSentAsDeltas(t *testing.T) {
	f := newFeed(t)
	f.publish(thm, variedTheme())
	r := run(t, f)
	old := r.get(path("-", "1", "tokens.css")).body
	f.publish(thm, editedTheme(7))
	for _, version := range []string{"2", "latest"} {
		address := path("-", version, "tokens.css")
		eventually(t, "a hit of the second version", func() bool {
			got := r.get(address)
			return strings.Contains(got.body, "rem") && got.header.Get("Cache-Status") == "livery; hit" && r.counted("livery_edge_feed_sequence") == 2
		})
		whole := r.get(address)
		before := r.counted("livery_edge_deltas_total")
		var first response
		for i := range 3 {
			got := r.get(address, acceptsDeltas, has(old), "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: cors", "Origin: https://a.example")
			if text := undelta(t, got, old); text != whole.body {
				t.Errorf("the delta says %d bytes, the file has %d", len(text), len(whole.body))
			}
			header(t, got, "Vary", "Accept-Encoding, Available-Dictionary, Sec-Fetch-Mode, Sec-Fetch-Site")
			header(t, got, "Content-Length", strconv.Itoa(len(got.body)))
			header(t, got, "Use-As-Dictionary", offer("-", "tokens.css"))
			header(t, got, "Cache-Control", whole.header.Get("Cache-Control"))
			header(t, got, "Content-Type", "text/css; charset=utf-8")
			header(t, got, "Repr-Digest", digestOf(got.body))
			header(t, got, "Access-Control-Allow-Origin", "*")
			if i == 0 {
				first = got
			} else if got.header.Get("Cache-Status") != "livery; hit" || got.body != first.body {
				t.Errorf("the second is another, or no hit: %v", got.header)
			}
		}
		best := len(r.get(address, "Accept-Encoding: br").body)
		if len(first.body) > best/10 {
			t.Errorf("the delta has %d bytes, brotli %d", len(first.body), best)
		}
		if sent := r.counted("livery_edge_deltas_total") - before; sent != 3 {
			t.Errorf("%v deltas are counted, want 3", sent)
		}
	}
	if saved := r.counted("livery_edge_delta_saved_bytes_total"); saved < 1000 {
		t.Errorf("%v bytes are counted as saved", saved)
	}
	again := r.get(path("-", "1", "tokens.css"), acceptsDeltas, has(r.get(path("-", "2", "tokens.css")).body))
	if undelta(t, again, r.get(path("-", "2", "tokens.css")).body) != old {
		t.Error("a newer version is no dictionary of an older one")
	}
}

// What latest said before a publish is a dictionary of what it says after it.
func TestLatestIsADictionaryOfLatest(t *testing.T) {
	f := newFeed(t)
	f.publish(thm, variedTheme())
	f.override(thm, brand, 1, `{}`, false)
	r := run(t, f)
	address := path(brand, "latest", "tokens.json")
	old := r.get(address, "Accept-Encoding: br") // never sent as it is
	if old.header.Get("Content-Encoding") != "br" {
		t.Fatalf("%v", old.header)
	}
	before := r.get(address).body
	f.publish(thm, editedTheme(3))
	f.override(thm, brand, 2, `{}`, false)
	eventually(t, "the second version", func() bool { return strings.Contains(r.get(address).body, "rem") })
	if undelta(t, r.get(address, acceptsDeltas, has(before)), before) != r.get(address).body {
		t.Error("the delta says another file")
	}
}

// A delta has a strong validator of its own. Who names it has the file, and is told so whether or not
// it still has a dictionary; HEAD has the head of GET; a range is of the bytes as they are.
func TestDeltasAreConditional(t *testing.T) {
	f := newFeed(t)
	f.publish(thm, variedTheme())
	f.publish(thm, editedTheme(7))
	r := run(t, f)
	old, address := r.get(path("-", "1", "tokens.css")).body, path("-", "2", "tokens.css")
	got := r.get(address, acceptsDeltas, has(old))
	tag := got.header.Get("Etag")
	undelta(t, got, old)
	for _, coding := range []string{"identity", "gzip", "br"} {
		ordinary := r.get(address, "Accept-Encoding: "+coding)
		if ordinary.header.Get("Etag") == tag {
			t.Errorf("%s has the validator of the delta", coding)
		}
		unchanged := r.get(address, "Accept-Encoding: "+coding, "If-None-Match: "+tag)
		if unchanged.status != 304 || unchanged.header.Get("Etag") != tag || unchanged.body != "" {
			t.Errorf("%s, and has the delta: %d %v", coding, unchanged.status, unchanged.header)
		}
	}
	br := r.get(address, "Accept-Encoding: gzip, deflate, br, zstd").header.Get("Etag")
	for _, field := range []string{tag, "W/" + tag, `"x", ` + tag, br} {
		unchanged := r.get(address, acceptsDeltas, has(old), "If-None-Match: "+field)
		if unchanged.status != 304 || !strings.Contains(field, unchanged.header.Get("Etag")) {
			t.Errorf("If-None-Match %s = %d %v", field, unchanged.status, unchanged.header)
		}
		header(t, unchanged, "Vary", "Accept-Encoding, Available-Dictionary, Sec-Fetch-Mode, Sec-Fetch-Site")
	}
	if got := r.get(address, acceptsDeltas, has(old), "If-None-Match: "+r.get(path("-", "1", "tokens.css")).header.Get("Etag")); got.status != 200 {
		t.Errorf("another file's validator = %d", got.status)
	}
	head := r.do(http.MethodHead, address, acceptsDeltas, has(old))
	for _, name := range []string{"Content-Encoding", "Content-Length", "Etag", "Vary", "Use-As-Dictionary"} {
		header(t, head, name, got.header.Get(name))
	}
	part := r.get(address, acceptsDeltas, has(old), "Range: bytes=0-4", "If-Range: "+tag)
	if part.status != 200 || part.header.Get("Content-Encoding") != "" {
		t.Errorf("a range if it is the delta = %d %v, want the whole file as it is", part.status, part.header)
	}
	part = r.get(address, acceptsDeltas, has(old), "Range: bytes=0-4")
	if part.status != 206 || part.header.Get("Content-Encoding") != "" || part.body != r.get(address).body[:5] {
		t.Errorf("a range = %d %v", part.status, part.header)
	}
}

// Who may not read the answer is sent no delta, and neither is who asks in another way than by one
// dictionary and by naming the coding.
func TestDeltasAreForWhoAsks(t *testing.T) {
	f := newFeed(t)
	f.publish(thm, variedTheme())
	f.publish(thm, editedTheme(7))
	r := run(t, f)
	old, address := r.get(path("-", "1", "tokens.css")).body, path("-", "2", "tokens.css")
	undelta(t, r.get(address, acceptsDeltas, has(old)), old)
	for name, lines := range map[string][]string{
		"across sites without CORS":           {acceptsDeltas, has(old), "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"},
		"a coding that is not named":          {"Accept-Encoding: br, *", has(old)},
		"a coding that is preferred":          {"Accept-Encoding: br, dcz;q=0.9", has(old)},
		"two dictionaries":                    {acceptsDeltas, has(old), has("another")},
		"two dictionaries in one line":        {acceptsDeltas, has(old) + ", " + strings.TrimPrefix(has("another"), "Available-Dictionary: ")},
		"a dictionary that nobody was served": {acceptsDeltas, has("another")},
		"no digest":                           {acceptsDeltas, "Available-Dictionary: :AAAA:"},
		"no dictionary":                       {acceptsDeltas},
	} {
		got := r.get(address, lines...)
		if got.status != 200 || got.header.Get("Content-Encoding") != "br" {
			t.Errorf("%s: %d %v", name, got.status, got.header)
		}
		header(t, got, "Vary", "Accept-Encoding, Available-Dictionary")
	}
}

// A Theme with any check neither offers dictionaries nor sends deltas.
func TestRestrictedThemesHaveNoDeltas(t *testing.T) {
	for name, serving := range map[string]record.Serving{
		"origins":   {Mode: "public", AllowedOrigins: []string{"https://good.example"}},
		"addresses": {Mode: "public", AllowedIPRanges: []string{"127.0.0.0/8"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFeed(t)
			f.publish(thm, variedTheme())
			f.publish(thm, editedTheme(7))
			r := run(t, f)
			r.settle()
			address := path("-", "2", "tokens.css")
			old := r.get(path("-", "1", "tokens.css")).body
			undelta(t, r.get(address, acceptsDeltas, has(old)), old)
			f.serving(thm, serving)
			ask := func() response {
				return r.get(address, acceptsDeltas, has(old), "Origin: https://good.example", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: cors")
			}
			eventually(t, "the check", func() bool { return strings.HasPrefix(ask().header.Get("Cache-Control"), "private") })
			got := ask()
			header(t, got, "Content-Encoding", "br")
			header(t, got, "Use-As-Dictionary", "")
			if strings.Contains(got.header.Get("Vary"), "Dictionary") {
				t.Errorf("Vary = %q", got.header.Get("Vary"))
			}
		})
	}
}

// Where a cache in front could not tell deltas apart there are none.
func TestDeltasCanBeOff(t *testing.T) {
	f := newFeed(t)
	f.publish(thm, variedTheme())
	f.publish(thm, editedTheme(7))
	r := run(t, f, func(c *edge.Config) { c.NoDeltas = true })
	old := r.get(path("-", "1", "tokens.css")).body
	for range 2 {
		got := r.get(path("-", "2", "tokens.css"), acceptsDeltas, has(old))
		header(t, got, "Content-Encoding", "br")
		header(t, got, "Vary", "Accept-Encoding")
		header(t, got, "Use-As-Dictionary", "")
	}
}

// Only what was served of the same Theme or Variant, as the same file, is a dictionary.
func TestDictionariesAreOfTheLine(t *testing.T) {
	f := newFeed(t)
	f.publish(thm, variedTheme())
	f.override(thm, brand, 1, `{"space.none":"1px"}`, true)
	f.publish(thm, editedTheme(7))
	f.override(thm, brand, 2, `{"space.none":"1px"}`, true)
	r := run(t, f)
	css, json := r.get(path("-", "1", "tokens.css")).body, r.get(path("-", "1", "tokens.json")).body
	undelta(t, r.get(path("-", "2", "tokens.css"), acceptsDeltas, has(css)), css)
	for name, got := range map[string]response{
		"another file":    r.get(path("-", "2", "tokens.css"), acceptsDeltas, has(json)),
		"another Variant": r.get(path(brand, "2", "tokens.dtcg.json"), acceptsDeltas, has(r.get(path("-", "1", "tokens.dtcg.json")).body+" ")),
	} {
		if got.header.Get("Content-Encoding") != "br" {
			t.Errorf("%s: %v", name, got.header)
		}
	}
}

// A delta that is not clearly smaller than what is sent otherwise is not sent, however often it is
// asked for, and is made once.
func TestDeltasThatDoNotPayAreNotSent(t *testing.T) {
	f := newFeed(t)
	f.publish(thm, variedTheme())
	f.publish(thm, bigTheme())
	r := run(t, f)
	old, address := r.get(path("-", "1", "tokens.css")).body, path("-", "2", "tokens.css")
	r.get(address, "Accept-Encoding: br")
	for range 5 {
		got := r.get(address, acceptsDeltas, has(old))
		if got.header.Get("Content-Encoding") != "br" || got.header.Get("Cache-Status") != "livery; hit" {
			t.Errorf("%v", got.header)
		}
	}
	if sent := r.counted("livery_edge_deltas_total"); sent != 0 {
		t.Errorf("%v deltas are sent", sent)
	}
}

// A flood of digests that nobody was served makes nothing and is not kept.
func TestInventedDictionariesCostNothing(t *testing.T) {
	f := newFeed(t)
	f.publish(thm, variedTheme())
	f.publish(thm, editedTheme(7))
	r := run(t, f)
	address := path("-", "2", "tokens.css")
	ask := func(i int) { header(t, r.get(address, acceptsDeltas, has(fmt.Sprint(i))), "Content-Encoding", "br") }
	eventually(t, "the smaller encoding", func() bool {
		ask(0)
		return r.counted("livery_edge_improved_total") == 1
	})
	held, renders := r.counted("livery_edge_cache_bytes"), r.renders()
	questions := f.count("blobs/") + f.count("pairs/")
	for i := range 2000 {
		ask(i)
	}
	if after := r.counted("livery_edge_cache_bytes"); after != held {
		t.Errorf("%v bytes are held, %v before", after, held)
	}
	if after := r.renders(); after != renders {
		t.Errorf("%d renders, %d before", after, renders)
	}
	if after := f.count("blobs/") + f.count("pairs/"); after != questions {
		t.Errorf("upstream was asked %d times, %d before", after, questions)
	}
}

// renders returns how many files were rendered.
func (r *running) renders() (count uint64) {
	r.t.Helper()
	families, err := r.counts.Gather()
	if err != nil {
		r.t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() != "livery_edge_render_seconds" {
			continue
		}
		for _, m := range family.GetMetric() {
			count += m.GetHistogram().GetSampleCount()
		}
	}
	return count
}

// An edge that was started anew finds what its clients have in its disk cache, behind the answers.
func TestDictionariesAreFoundOnDisk(t *testing.T) {
	f := newFeed(t)
	f.publish(thm, variedTheme())
	r := run(t, f, ownRuntime(t))
	old := r.get(path("-", "1", "tokens.css")).body
	f.publish(thm, editedTheme(7))
	want(t, r.get(path("-", "2", "tokens.css")), 200, "rem")
	r.stop()
	again := run(t, f, ownRuntime(t), at(r.dir))
	address := path("-", "latest", "tokens.css")
	eventually(t, "a delta", func() bool {
		return again.get(address, acceptsDeltas, has(old)).header.Get("Content-Encoding") == "dcz"
	})
	if undelta(t, again.get(address, acceptsDeltas, has(old)), old) != again.get(address).body {
		t.Error("the delta says another file")
	}
}

// Many who ask at once for many deltas are all answered, and with the right file.
func TestDeltasUnderLoad(t *testing.T) {
	f := newFeed(t)
	const versions = 4
	for i := range versions {
		f.publish(thm, editedTheme(i*5))
	}
	r := run(t, f)
	var bodies []string
	for i := range versions {
		bodies = append(bodies, r.get(path("-", strconv.Itoa(i+1), "tokens.css")).body)
	}
	done := make(chan string, 8*versions*versions)
	for range 8 {
		for from := range versions {
			for to := range versions {
				go func() {
					got := r.get(path("-", strconv.Itoa(to+1), "tokens.css"), acceptsDeltas, has(bodies[from]))
					if got.header.Get("Content-Encoding") == "dcz" && undelta(t, got, bodies[from]) != bodies[to] {
						done <- fmt.Sprintf("from %d to %d: another file", from+1, to+1)
						return
					}
					done <- ""
				}()
			}
		}
	}
	var problems []string
	for range cap(done) {
		if problem := <-done; problem != "" {
			problems = append(problems, problem)
		}
	}
	if slices.Sort(problems); len(problems) > 0 {
		t.Error(slices.Compact(problems))
	}
	eventually(t, "every delta", func() bool {
		for from := range versions {
			for to := range versions {
				if r.get(path("-", strconv.Itoa(to+1), "tokens.css"), acceptsDeltas, has(bodies[from])).header.Get("Content-Encoding") != "dcz" {
					return false
				}
			}
		}
		return true
	})
}
