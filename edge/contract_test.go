package edge_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/livery/edge/policy"
	"example.com/livery/internal/test/race"
	"example.com/livery/storage/record"
)

// contract is what the tests of sentences are checked on: a Theme with two versions and a Variant that
// was published at the first one only, with files that are worth encoding, on a settled edge.
type contract struct {
	*running
	feed *feed
	key  record.SigningKey
}

func newContract(t *testing.T) *contract {
	f := newFeed(t)
	f.publish(thm, bigTheme())
	f.override(thm, brand, 1, `{"space.s7":"77px"}`, true)
	f.publish(thm, bigTheme())
	f.override(thm, brand, 2, `{"space.s7":"77px"}`, false)
	c := &contract{run(t, f), f, record.SigningKey{ID: "key_1", Secret: []byte("a secret of sixteen")}}
	c.settle()
	return c
}

const immutable = "public, max-age=31536000, immutable"

// Section 7 of the decisions, one sentence a test.
func TestContractOfTheEdge(t *testing.T) {
	race.Skip(t)
	css := func(variant, version string) string { return path(variant, version, "tokens.css") }
	origins := record.Serving{Mode: "public", AllowedOrigins: []string{"https://good.example"}, MissingOrigin: "refuse"}
	for sentence, holds := range map[string]func(t *testing.T, c *contract){
		"a pinned file of a sealed pair is immutable": func(t *testing.T, c *contract) {
			for _, address := range []string{css("-", "1"), css("-", "2"), css(brand, "1")} {
				header(t, c.get(address), "Cache-Control", immutable)
				header(t, c.get(address), "Age", "")
			}
		},
		"a pinned file of a pair that is not sealed lives as long as latest": func(t *testing.T, c *contract) {
			header(t, c.get(css(brand, "2")), "Cache-Control", "public, max-age=60, stale-if-error=86400")
		},
		"latest lives for the Environment's cacheLifetime and is never served stale while revalidating": func(t *testing.T, c *contract) {
			got := c.get(css("-", "latest"))
			header(t, got, "Cache-Control", "public, max-age=60, stale-if-error=86400")
			if strings.Contains(got.header.Get("Cache-Control"), "stale-while-revalidate") || got.header.Get("Age") == "" {
				t.Errorf("latest: %v", got.header)
			}
		},
		"with any check configured only the browser may keep an answer": func(t *testing.T, c *contract) {
			for name, s := range map[string]record.Serving{"origins": origins, "addresses": {Mode: "public", AllowedIPRanges: []string{"127.0.0.0/8"}}} {
				c.feed.serving(thm, s)
				eventually(t, name, func() bool {
					return c.get(css("-", "1"), "Origin: https://good.example").header.Get("Cache-Control") == "private, max-age=31536000, immutable"
				})
				header(t, c.get(css("-", "latest"), "Origin: https://good.example"), "Cache-Control", "private, max-age=60, stale-if-error=86400")
			}
		},
		"a 404 is asked about again each time and a 403 is not kept": func(t *testing.T, c *contract) {
			header(t, c.get(css("-", "9")), "Cache-Control", "no-cache")
			c.feed.serving(thm, origins)
			eventually(t, "a refusal", func() bool { return c.get(css("-", "1")).status == 403 })
			header(t, c.get(css("-", "1")), "Cache-Control", "no-store")
		},
		"every answer of a Theme with origins varies by origin, refusals too": func(t *testing.T, c *contract) {
			c.feed.serving(thm, origins)
			eventually(t, "a refusal", func() bool { return c.get(css("-", "1")).status == 403 })
			for _, got := range []response{
				c.get(css("-", "1")), c.get(css("-", "1"), "Origin: https://good.example"), c.get(css("-", "9"), "Origin: https://good.example"),
				c.do(http.MethodOptions, css("-", "1"), "Origin: https://good.example"),
			} {
				header(t, got, "Vary", "Accept-Encoding, Origin")
			}
		},
		"without a list any origin may read": func(t *testing.T, c *contract) {
			for _, got := range []response{c.get(css("-", "1")), c.get(css("-", "latest"), "Origin: null"), c.do(http.MethodOptions, css("-", "1"))} {
				header(t, got, "Access-Control-Allow-Origin", "*")
				header(t, got, "Cross-Origin-Resource-Policy", "cross-origin")
			}
		},
		"each coding has a strong validator of its own and answers 304 for it": func(t *testing.T, c *contract) {
			tags := map[string]bool{}
			for _, coding := range []string{"identity", "gzip", "zstd", "br"} {
				got := c.get(css("-", "latest"), "Accept-Encoding: "+coding)
				tag := got.header.Get("Etag")
				if tags[tag] || !strings.HasPrefix(tag, `"`) {
					t.Errorf("%s has the validator %s", coding, tag)
				}
				tags[tag] = true
				if again := c.get(css("-", "latest"), "Accept-Encoding: "+coding, "If-None-Match: "+tag); again.status != 304 || again.body != "" {
					t.Errorf("%s with its validator = %d", coding, again.status)
				}
			}
		},
		"the coding is the one that the client weighs highest": func(t *testing.T, c *contract) {
			for accept, coding := range map[string]string{
				"gzip, deflate, br, zstd": "br", "gzip;q=1.0, br;q=0.5": "gzip", "br;q=0, *": "zstd", "identity, gzip;q=0.5": "", "": "",
			} {
				header(t, c.get(css("-", "latest"), "Accept-Encoding: "+accept), "Content-Encoding", coding)
			}
		},
		"a HEAD has the head of its GET": func(t *testing.T, c *contract) {
			get, head := c.get(css("-", "1")), c.do(http.MethodHead, css("-", "1"))
			header(t, head, "Content-Length", fmt.Sprint(len(get.body)))
			for _, name := range []string{"Etag", "Cache-Control", "Vary", "Content-Type"} {
				header(t, head, name, get.header.Get(name))
			}
		},
		"a range is of the bytes as they are": func(t *testing.T, c *contract) {
			whole := c.get(css("-", "1")).body
			got := c.get(css("-", "1"), "Range: bytes=5-9", "Accept-Encoding: br")
			if got.status != 206 || got.body != whole[5:10] {
				t.Errorf("bytes 5 to 9 = %d %q", got.status, got.body)
			}
		},
		"anything but GET, HEAD and OPTIONS is 405": func(t *testing.T, c *contract) {
			for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "TRACE"} {
				got := c.do(method, css("-", "1"))
				header(t, got, "Allow", "GET, HEAD, OPTIONS")
				if got.status != 405 {
					t.Errorf("%s = %d", method, got.status)
				}
			}
		},
		"every answer says what it is and is not to be guessed": func(t *testing.T, c *contract) {
			for _, address := range []string{css("-", "1"), css("-", "9"), "/nothing"} {
				header(t, c.get(address), "X-Content-Type-Options", "nosniff")
			}
		},
		"a signed address lives no longer than its signature": func(t *testing.T, c *contract) {
			c.feed.serving(thm, record.Serving{Mode: "signed", SigningKeys: []record.SigningKey{c.key}})
			eventually(t, "signed mode", func() bool { return c.get(css("-", "1")).status == 403 })
			got := c.get(css("-", "1") + "?" + policy.Sign(css("-", "1"), c.clock.now().Add(30*time.Second), c.key))
			var seconds int
			if _, err := fmt.Sscanf(got.header.Get("Cache-Control"), "private, max-age=%d, immutable", &seconds); err != nil || seconds > 30 {
				t.Errorf("Cache-Control = %q", got.header.Get("Cache-Control"))
			}
		},
		"any active key verifies, and one that is taken away does not": func(t *testing.T, c *contract) {
			other := record.SigningKey{ID: "key_2", Secret: []byte("another secret of so")}
			signed := func(key record.SigningKey) int {
				return c.get(css("-", "1") + "?" + policy.Sign(css("-", "1"), c.clock.now().Add(time.Minute), key)).status
			}
			c.feed.serving(thm, record.Serving{Mode: "signed", SigningKeys: []record.SigningKey{c.key, other}})
			eventually(t, "both keys", func() bool { return c.get(css("-", "1")).status == 403 && signed(c.key) == 200 && signed(other) == 200 })
			c.feed.serving(thm, record.Serving{Mode: "signed", SigningKeys: []record.SigningKey{other}})
			within(t, seen, "the key taken away", func() bool { return signed(c.key) == 403 && signed(other) == 200 })
		},
		"query strings split no cache": func(t *testing.T, c *contract) {
			want(t, c.get(css("-", "1")), 200, "")
			for i := range 5 {
				header(t, c.get(css("-", "1")+fmt.Sprintf("?v=%d", i)), "Cache-Status", "livery; hit")
			}
		},
		"who may not have a file is not told whether its version exists": func(t *testing.T, c *contract) {
			c.feed.serving(thm, origins)
			eventually(t, "a refusal", func() bool { return c.get(css("-", "1")).status == 403 })
			want(t, c.get(css("-", "9")), 403, "forbidden")
			want(t, c.get(css("var_99999999999999999999999999", "1")), 404, "notFound")
		},
		"a file that no integration wants is 404 at every version": func(t *testing.T, c *contract) {
			c.feed.edit(thm, func(th *fedTheme) { th.Files = []string{"tokens.json"} })
			within(t, seen, "the removed integration", func() bool { return c.get(css("-", "1")).status == 404 && c.get(css("-", "latest")).status == 404 })
			want(t, c.get(path("-", "1", "tokens.json")), 200, "")
		},
		"cut off, the edge serves what it holds and says so": func(t *testing.T, c *contract) {
			want(t, c.get(css("-", "latest")), 200, "")
			c.feed.stop()
			c.clock.add(time.Hour)
			eventually(t, "the feed lost", func() bool { return c.counted("livery_edge_feed_connected") == 0 })
			got := c.get(css("-", "latest"))
			header(t, got, "Cache-Status", "livery; hit; detail=stale")
			if c.counted("livery_edge_current_seconds") < 3000 {
				t.Errorf("what is held is known to be current since %v seconds", c.counted("livery_edge_current_seconds"))
			}
		},
	} {
		t.Run(sentence, func(t *testing.T) { holds(t, newContract(t)) })
	}
}

// header fails if an answer's header is another.
func header(t *testing.T, got response, name, value string) {
	t.Helper()
	if got.header.Get(name) != value {
		t.Errorf("%d: %s = %q, want %q", got.status, name, got.header.Get(name), value)
	}
}
