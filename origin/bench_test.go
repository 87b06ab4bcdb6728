package origin_test

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"example.com/livery/origin"
)

// A PATCH of one token of a published Theme over a kept connection: with the new set in the answer, without, and with an
// idempotency key, which stores the answer. What it allocates is the origin's, and next to nothing of the reader's.
func BenchmarkPatch(b *testing.B) {
	for _, tokens := range []int{20, 2000} {
		for _, c := range []struct{ name, headers string }{
			{"full", ""}, {"minimal", "Prefer: return=minimal\r\n"}, {"keyed", "Prefer: return=minimal\r\nIdempotency-Key: %026d\r\n"},
		} {
			b.Run(fmt.Sprintf("%s/%d", c.name, tokens), func(b *testing.B) {
				h := newTestOrigin(b, func(c *origin.Config) { c.Logger = slog.New(slog.DiscardHandler) })
				path, token := h.theme("patched"), h.token(owner)
				var batch []string
				for i := range tokens {
					batch = append(batch, fmt.Sprintf(`{"operation":"add","path":"/t%d","value":{"$type":"color","$value":"#%06x"}}`, i, i))
				}
				h.patch(path, "["+strings.Join(batch, ",")+"]")
				h.publish(path)
				h.patch(path, `[{"operation":"replace","path":"/t0/$value","value":"#ffffff"}]`)
				conn := h.dial()
				answers := bufio.NewReader(conn)
				n := 0
				b.ReportAllocs()
				for b.Loop() {
					n++
					body := fmt.Sprintf(`{"operations":[{"operation":"replace","path":"/t0/$value","value":"#%06x"}]}`, n%0xffffff)
					headers := c.headers
					if strings.Contains(headers, "%") {
						headers = fmt.Sprintf(headers, n)
					}
					_, err := fmt.Fprintf(conn, "PATCH %s HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\nIf-Match: *\r\n%sContent-Length: %d\r\n\r\n%s",
						apiPath+path+"/tokens", token, headers, len(body), body)
					if err != nil {
						b.Fatal(err)
					}
					answer, err := http.ReadResponse(answers, nil)
					if err != nil || answer.StatusCode != http.StatusOK {
						b.Fatalf("PATCH = %v, %v", answer, err)
					}
					if _, err := io.Copy(io.Discard, answer.Body); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
