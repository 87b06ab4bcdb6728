package origin_test

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
)

// concurrentCallers is what many callers were told of one Theme and its Variants.
type concurrentCallers struct {
	*testOrigin
	theme string

	mu       sync.Mutex          // guards all below
	etags    map[string]int      // of every edit that was taken
	set      map[string][]string // by path of a Theme or Variant, the tokens that were set
	versions []int               // that publishes made
}

// send fails the test unless the answer is 200, 409 or one of more.
func (m *concurrentCallers) send(method, path, body string, more ...int) reply {
	r, err := m.try(owner, method, path, body)
	if err != nil {
		m.t.Errorf("%s %s: %v", method, path, err)
	} else if r.status != http.StatusOK && r.status != http.StatusConflict && !slices.Contains(more, r.status) {
		m.t.Errorf("%s %s = %d %s", method, path, r.status, short(r.body))
	}
	return r
}

// edit sets one new token at path until that is taken, and reports whether it was before path was gone.
func (m *concurrentCallers) edit(path, token, operation string) bool {
	for {
		read := m.send("GET", path+"/tokens", "", http.StatusNotFound)
		if read.status != http.StatusOK {
			return false
		}
		etag, _ := read.object(m.t)["etag"].(string)
		switch r := m.send("PATCH", path+"/tokens?etag="+etag, ops(operation), http.StatusNotFound); r.status {
		case http.StatusOK:
			m.mu.Lock()
			m.etags[r.text(m.t, "etag")]++
			m.set[path] = append(m.set[path], token)
			m.mu.Unlock()
			return true
		case http.StatusConflict:
		default:
			return false
		}
	}
}

func (m *concurrentCallers) editTheme(token string) bool {
	return m.edit(m.theme, token, `[{"operation":"add","path":"/`+token+`","value":{"$type":"number","$value":1}}]`)
}

func (m *concurrentCallers) editVariant(variant, token string) bool {
	return m.edit(variant, token, `[{"operation":"set","path":"`+token+`","value":2}]`)
}

func (m *concurrentCallers) publish() {
	if r := m.send("POST", m.theme+"/tokens/publish", "", http.StatusNotFound); r.status == http.StatusOK {
		m.mu.Lock()
		m.versions = append(m.versions, int(r.object(m.t)["latestVersion"].(float64)))
		m.mu.Unlock()
	}
}

// tokens returns the tokens of path, sorted.
func (m *concurrentCallers) tokens(path string) []string {
	var all []string
	for _, token := range m.want(200, "GET", path, "").object(m.t)["tokens"].([]any) {
		all = append(all, token.(map[string]any)["path"].(string))
	}
	slices.Sort(all)
	return all
}

// check holds what is there against what callers were told.
func (m *concurrentCallers) check(variants ...string) {
	m.t.Helper()
	for etag, count := range m.etags {
		if count > 1 {
			m.t.Errorf("etag %s was given %d times", etag, count)
		}
	}
	slices.Sort(m.versions)
	for i, n := range m.versions {
		if n != i+1 {
			m.t.Fatalf("publishes made the versions %v, want none twice and none skipped", m.versions)
		}
	}
	listed := m.want(200, "GET", m.theme+"/tokens?includeVersions=true", "").object(m.t)["versions"].([]any)
	if len(listed) != len(m.versions) {
		m.t.Errorf("%d versions are listed, %d publishes were taken", len(listed), len(m.versions))
	}
	for _, path := range append([]string{m.theme}, variants...) {
		slices.Sort(m.set[path])
		if got := m.tokens(path + "/tokens"); !slices.Equal(got, m.set[path]) {
			m.t.Errorf("%s has %q, callers were told that they set %q", path, got, m.set[path])
		}
	}
	var before []string
	for n := range m.versions {
		tokens := m.tokens(fmt.Sprintf("%s/tokens?version=%d", m.theme, n+1))
		for _, token := range before {
			if _, found := slices.BinarySearch(tokens, token); !found {
				m.t.Errorf("version %d lost %s", n+1, token)
			}
		}
		before = tokens
	}
}

// S165 S171 S178 S182, decisions 3.4, 4.9 and 5.4: edits, publishes, edits and publishes of Variants, and deletes of Variants
// run into one another: no edit that was taken is lost, no etag comes twice, versions have no gap. Then the Theme is
// deleted while they go on, and nothing of it comes back.
func TestEditsPublishesAndDeletesAtOnce(t *testing.T) {
	t.Parallel()
	const rounds = 12
	h := newTestOrigin(t)
	m := &concurrentCallers{testOrigin: h, theme: h.theme("brand"), etags: map[string]int{}, set: map[string][]string{}}
	variants := []string{h.variant(m.theme, "v0"), h.variant(m.theme, "v1"), h.variant(m.theme, "v2")}
	crowd := func(rounds int, name string) *sync.WaitGroup {
		var all sync.WaitGroup
		each := func(who int, do func(token string)) {
			all.Go(func() {
				for round := range rounds {
					do(fmt.Sprintf("%s-%d-%d", name, who, round))
				}
			})
		}
		for who := range 3 {
			each(who, func(token string) { m.editTheme(token) })
			each(who, func(string) { m.publish() })
			each(who, func(token string) { m.editVariant(variants[0], token) })
			each(3+who, func(token string) { m.editVariant(variants[1], token) })
			each(who, func(token string) { m.editVariant(variants[2], token) })
		}
		each(0, func(string) { m.send("POST", variants[0]+"/tokens/publish", "", http.StatusNotFound) })
		return &all
	}
	all := crowd(rounds, "first")
	m.want(200, "DELETE", variants[2], "")
	all.Wait()
	m.check(variants[:2]...)
	h.want(404, "GET", variants[2]+"/tokens", "")

	all = crowd(rounds, "second")
	m.want(200, "DELETE", m.theme, "")
	all.Wait()
	left := map[string]int{}
	for _, letter := range "HhDNVvdnP" {
		if n := h.countKeys(byte(letter)); n > 0 {
			left[string(letter)] = n
		}
	}
	if len(left) > 0 {
		t.Errorf("of the deleted Theme there are still records: %v", left)
	}
}
