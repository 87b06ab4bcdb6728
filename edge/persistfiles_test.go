package edge_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/livery/edge"
	"example.com/livery/storage/record"
)

// diskFiles has an edge keep files on disk as they are served.
func diskFiles(bytes int64) option { return func(c *edge.Config) { c.DiskFileBytes = bytes } }

// away gives an edge an upstream that nothing listens at.
func away(c *edge.Config) { c.Upstreams = []string{"http://127.0.0.1:1"} }

const anyFileBytes = 64 << 20

// served are addresses in a coding each, and what was answered.
type served struct {
	addresses []string
	answers   map[string]response
}

var servedCodings = []string{"gzip", "br", "zstd", "identity"}

// serveBefore has an edge answer so many addresses, and ends it.
func serveBefore(t *testing.T, f *feed, dir string, count int) served {
	t.Helper()
	s := served{append(f.variants(count/2), path("-", "latest", "tokens.css")), map[string]response{}}
	for i := len(s.addresses); i < count; i++ {
		f.publish(themeNumber(i), numbered(i))
		s.addresses = append(s.addresses, "/"+env+"/"+themeNumber(i)+"/-/latest/tokens.css")
	}
	r := run(t, f, at(dir), diskFiles(anyFileBytes))
	r.settle()
	for i, address := range s.addresses {
		s.answers[address] = r.get(address, "Accept-Encoding: "+servedCodings[i%len(servedCodings)])
		want(t, s.answers[address], 200, "")
	}
	r.stop()
	return s
}

// bigWithSmall is bigTheme with the token that variants change.
func bigWithSmall() string {
	return strings.Replace(bigTheme(), `"$type"`, `"small":{"$value":"4px"},"$type"`, 1)
}

// again asks an edge for all of them, which must be as before, or be said to be the same as before.
func (s *served) again(t *testing.T, r *running) {
	t.Helper()
	for i, address := range s.addresses {
		got := r.get(address, "Accept-Encoding: "+servedCodings[i%len(servedCodings)])
		was := s.answers[address]
		if got.status == 200 && got.header.Get("ETag") != was.header.Get("ETag") && len(got.body) < len(was.body) { // made smaller meanwhile
			got = r.get(address, "Accept-Encoding: "+servedCodings[i%len(servedCodings)], "If-None-Match: "+was.header.Get("ETag"))
			want(t, got, 304, "")
			continue
		}
		if got.status != 200 || got.body != was.body || got.header.Get("ETag") != was.header.Get("ETag") || got.header.Get("Content-Encoding") != was.header.Get("Content-Encoding") {
			t.Fatalf("%s = %d, %d bytes, %v, want %d bytes, %v", address, got.status, len(got.body), got.header, len(was.body), was.header)
		}
	}
}

// A restarted edge whose upstream is away answers what it served before without a render, a module or a question for
// content.
func TestRestartedEdgeServesFromDisk(t *testing.T) {
	t.Parallel()
	f, dir := newFeed(t), t.TempDir()
	f.publish(thm, bigWithSmall())
	s := serveBefore(t, f, dir, pressed(40, 1000))
	r := run(t, f, ownRuntime(t), at(dir), diskFiles(anyFileBytes), away, waiting(50*time.Millisecond))
	r.lose()
	began := time.Now()
	s.again(t, r)
	if n := r.renders(); n != 0 {
		t.Errorf("%d files were rendered", n)
	}
	asked := r.kinds()
	if n := asked["blob"]; n > 0 {
		t.Errorf("upstream was asked %v times for content", n)
	}
	// Whether upstream is back is asked often at first, then each quarter of a second: never once an address.
	probes := float64(len(s.addresses))/4 + float64(time.Since(began)/(250*time.Millisecond))
	if n := asked["theme"] + asked["pair"]; n > probes {
		t.Errorf("upstream was asked %v times for records, want %v at most", n, probes)
	}
}

// bodiesIn returns the segments of the files on disk, with their texts, and where in them each file lies: behind its head
// and its name.
func bodiesIn(t *testing.T, dir string) (texts map[string][]byte, files [][]byte) {
	t.Helper()
	const head, name = 36, sha256.Size + 2
	names, err := filepath.Glob(filepath.Join(dir, "bodies", "*.log"))
	texts = map[string][]byte{}
	for _, segment := range names {
		text, err2 := os.ReadFile(segment)
		err = errors.Join(err, err2)
		texts[segment] = text
		for at := len("livery1\n"); at < len(text); {
			length := int(binary.LittleEndian.Uint32(text[at+8:]))
			at += head + name + length
			files = append(files, text[at-length:at])
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return texts, files
}

// Files on disk that are damaged, of another name or gone are never served; what they say is rendered.
func TestDamagedFilesOnDiskAreNotServed(t *testing.T) {
	t.Parallel()
	f, dir := newFeed(t), t.TempDir()
	f.publish(thm, bigWithSmall())
	s := serveBefore(t, f, dir, 24)
	texts, files := bodiesIn(t, dir)
	if len(files) != len(s.addresses) {
		t.Fatalf("%d files are on disk for %d addresses", len(files), len(s.addresses))
	}
	var before [][]byte
	for _, file := range files {
		before = append(before, bytes.Clone(file))
	}
	for i, file := range files {
		switch i % 5 {
		case 0:
			file[len(file)-1] ^= 1
		case 1:
			clear(file[len(file)/2:])
		case 2:
			copy(file, before[(i+1)%len(files)])
		case 3:
			clear(file)
		case 4:
			file[0] ^= 1 // the coding
		}
	}
	for name, text := range texts {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := run(t, f, at(dir), diskFiles(anyFileBytes))
	s.again(t, r)
	if n := r.renders(); n < uint64(len(files)) {
		t.Errorf("%d files were rendered, want all %d", n, len(files))
	}
}

// What is on disk is served only while upstream's word allows it: a deleted Theme, a Variant that is gone, a newer version
// of latest and a new rule hold as they do without a disk.
func TestFilesOnDiskObeyTheRules(t *testing.T) {
	t.Parallel()
	f, dir := newFeed(t), t.TempDir()
	f.publish(thm, smallTheme)
	f.publish(themeNumber(1), smallTheme)
	f.publish(themeNumber(2), smallTheme)
	f.publish(themeNumber(3), smallTheme)
	f.variants(1)
	other := func(i int) string { return strings.Replace(path("-", "latest", "tokens.css"), thm, themeNumber(i), 1) }
	gone := fmt.Sprintf("var_%026d", 1)
	r := run(t, f, at(dir), diskFiles(anyFileBytes))
	r.settle()
	for _, address := range []string{other(1), other(2), other(3), path("-", "latest", "tokens.css"), path(gone, "1", "tokens.css")} {
		want(t, r.get(address), 200, "px")
	}
	r.stop()
	f.removeTheme(themeNumber(1))
	f.removeVariant(thm, gone)
	f.publish(thm, biggerTheme)
	f.edit(themeNumber(2), func(th *fedTheme) {
		th.Serving.Mode, th.Serving.AllowedOrigins = "public", []string{"https://a.example"}
	})
	key := record.SigningKey{ID: "key_00000000000000000000000001", Secret: bytes.Repeat([]byte{7}, 32)}
	f.edit(themeNumber(3), func(th *fedTheme) {
		th.Serving = record.Serving{Mode: "signed", SigningKeys: []record.SigningKey{key}}
	})
	r = run(t, f, at(dir), diskFiles(anyFileBytes))
	want(t, r.get(other(1)), 404, "")
	want(t, r.get(path(gone, "1", "tokens.css")), 404, "")
	want(t, r.get(path("-", "latest", "tokens.css")), 200, "5px")
	want(t, r.get(other(2), "Origin: https://b.example"), 403, "")
	want(t, r.get(other(2), "Origin: https://a.example"), 200, "px")
	want(t, r.get(other(3)), 403, "")
	r.stop()
	r = run(t, f, at(dir), diskFiles(anyFileBytes), away, waiting(50*time.Millisecond))
	r.lose()
	want(t, r.get(other(1)), 503, "") // that it was deleted is not remembered, and nothing of it is
	want(t, r.get(other(2), "Origin: https://b.example"), 403, "")
	want(t, r.get(other(2), "Origin: https://a.example"), 200, "px")
	want(t, r.get(other(3)), 503, "") // no secret is on disk
}

// The files on disk stay within their budget, what is asked for often stays among them, and what a publish supersedes goes.
func TestFilesOnDiskHaveABudget(t *testing.T) {
	t.Parallel()
	const budget = 200 << 10 // 50 of the smallest
	f, dir := newFeed(t), t.TempDir()
	f.publish(thm, smallTheme)
	addresses := f.variants(90)
	var hot []string
	for round := range 3 {
		r := run(t, f, at(dir), diskFiles(budget))
		hot = addresses[:10]
		for range 2 {
			for _, address := range hot {
				want(t, r.get(address), 200, "px")
			}
		}
		for _, address := range addresses[10+round*25 : 35+round*25] {
			want(t, r.get(address), 200, "px")
		}
		if held := r.counted("livery_edge_disk_file_bytes"); held > budget {
			t.Errorf("%v bytes are on disk, the budget is %d", held, budget)
		}
		r.stop()
	}
	r := run(t, f, ownRuntime(t), at(dir), diskFiles(budget), away, waiting(50*time.Millisecond))
	r.lose()
	for _, address := range hot {
		want(t, r.get(address), 200, "px")
	}
	if n := r.renders(); n > 0 {
		t.Errorf("%d of %d addresses that are asked for in every run were rendered", n, len(hot))
	}
}

// A disk that is too small for every plan has what is needed to answer for every address whose file it has: after a restart
// without the origin all of them are served, and those that were asked for last are in other codings too.
func TestFullDiskKeepsAddressesWhoseFilesItHas(t *testing.T) {
	t.Parallel()
	const count, planned = 40, 8
	f, dir := newFeed(t), t.TempDir()
	s := served{answers: map[string]response{}}
	for i := range count {
		f.publish(themeNumber(i), numbered(i))
		s.addresses = append(s.addresses, "/"+env+"/"+themeNumber(i)+"/-/latest/tokens.css")
	}
	module, plan := int64(len(f.blobs[f.module])), int64(len(f.blobs[f.themes[env+"/"+themeNumber(0)].versions[0].Plan]))
	room := (module + count<<10 + planned*plan*3/2) * 13 / 10 // the rest is what was given up and lies on disk yet
	r := run(t, f, at(dir), ownRuntime(t), full, diskFiles(anyFileBytes), diskOf(room))
	r.settle()
	for range 2 {
		for i, address := range s.addresses {
			s.answers[address] = r.get(address, "Accept-Encoding: "+servedCodings[i%len(servedCodings)])
			want(t, s.answers[address], 200, "")
		}
		r.clock.add(time.Second)
	}
	r.stop()
	r = run(t, f, ownRuntime(t), full, at(dir), diskFiles(anyFileBytes), diskOf(room), away, waiting(50*time.Millisecond))
	r.lose()
	lost := 0
	for i, address := range s.addresses {
		if got := r.get(address, "Accept-Encoding: "+servedCodings[i%len(servedCodings)]); got.status != 200 {
			lost++
		}
	}
	others := 0
	for _, address := range s.addresses {
		if got := r.get(strings.Replace(address, "tokens.css", "tokens.json", 1)); got.status == 200 {
			others++
		}
	}
	t.Logf("a plan has %d bytes, %d of %d addresses are lost, %d answer for another file", plan, lost, count, others)
	if lost > 0 || others < planned/2 {
		t.Errorf("%d of %d addresses are lost, %d answer for another file, want %d at least", lost, count, others, planned/2)
	}
}
