package changeset

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"example.com/livery/cli/term"
	"example.com/livery/internal/test/tokentreetest"
	"example.com/livery/renderer/dtcg"
)

// changesOf compares two documents as a push does.
func changesOf(t *testing.T, before, after string) []Change {
	t.Helper()
	a, b := tokentreetest.Parse(t, before), tokentreetest.Parse(t, after)
	return Documents(a, b, Renames(dtcg.Read(a), dtcg.Read(b)))
}

func TestChangesAsAPersonReadsThem(t *testing.T) {
	cases := []struct{ rule, before, after, want string }{
		{
			"aliases that follow a rename are counted",
			`{"a":{"x":{"$value":1},"y":{"$value":2}},"l":{"$value":"{a.x}"}}`, `{"b":{"x":{"$value":1},"y":{"$value":2}},"l":{"$value":"{b.x}"}}`,
			"  > a.x → b.x  1\n  > a.y → b.y  2\n  and the aliases in 1 token that follow\n",
		},
		{
			"a renamed token alone keeps its name",
			`{"a":{"x":{"$value":1}}}`, `{"b":{"x":{"$value":1}}}`, "  > a.x → b.x  1\n",
		},
		{
			"another type", `{"a":{"$type":"number","$value":1}}`, `{"a":{"$type":"opacity","$value":1}}`, "  ! a  was number, is opacity\n",
		},
		{
			"another description does not change the value", `{"a":{"$value":1}}`, `{"a":{"$value":1,"$description":"d"}}`, "  ~ a  changed, but not its value\n",
		},
		{"a colour is shown as it is served", `{}`, `{"a":{"$type":"color","$value":{"colorSpace":"srgb","components":[0,0,1]}}}`, "  + a  #0000ff\n"},
	}
	for _, c := range cases {
		var said bytes.Buffer
		Print(&term.App{Out: &said}, changesOf(t, c.before, c.after))
		if said.String() != c.want {
			t.Errorf("%s: printChanges() says\n%swant\n%s", c.rule, said.String(), c.want)
		}
	}
}

func TestManyChangesAreCounted(t *testing.T) {
	document := func(value string) string {
		var b strings.Builder
		for i := range 30 {
			fmt.Fprintf(&b, `,"t%d":{"$value":%s}`, i, value)
		}
		return "{" + b.String()[1:] + "}"
	}
	cases := []struct {
		rule, before, after string
		lines               int
		last                string
	}{
		{"after 20 lines", document("1"), document("2"), 21, "  and 10 more; --json lists them all"},
		{"where everything is new, at once", "{}", document("1"), 1, "  30 tokens added; --json lists them"},
	}
	for _, c := range cases {
		var said bytes.Buffer
		Print(&term.App{Out: &said}, changesOf(t, c.before, c.after))
		lines := strings.Split(strings.TrimRight(said.String(), "\n"), "\n")
		if len(lines) != c.lines || lines[len(lines)-1] != c.last {
			t.Errorf("%s: %d lines, the last %q, want %d and %q", c.rule, len(lines), lines[len(lines)-1], c.lines, c.last)
		}
	}
}

// A comment folds a long list away, counts a longer one, and keeps what a token says in code.
func TestMarkdownOfManyChanges(t *testing.T) {
	list := func(n int) Comparison {
		c := Comparison{What: "Theme `x`", From: "version 1", To: "the files"}
		for i := range n {
			c.Changes = append(c.Changes, Change{Kind: "added", Path: fmt.Sprint("t", i), After: []byte(`"|"`)})
		}
		return c
	}
	if got := string(AppendMarkdown(nil, list(3))); strings.Contains(got, "<details>") || !strings.Contains(got, "| `¦` |") || !strings.Contains(got, "`Theme 'x'`") {
		t.Errorf("appendComparison(3) = %s", got)
	}
	got := string(AppendMarkdown(nil, list(markdownLimit+7)))
	if !strings.Contains(got, "<details><summary>507 changes</summary>") || !strings.Contains(got, "and 7 more") {
		t.Errorf("appendComparison(%d) lacks its end", markdownLimit+7)
	}
	if got := string(AppendMarkdown(nil, list(0))); !strings.HasSuffix(got, "nothing changed.\n") {
		t.Errorf("appendComparison(0) = %s", got)
	}
}

// The comment of a pull request shows each colour, also that of an alias, as the hexadecimal that forges give a swatch.
func TestMarkdownShowsColours(t *testing.T) {
	list := changesOf(t, `{"a":{"$type":"color","$value":"#0055AA"},"b":{"$type":"color","$value":"{a}"},"c":{"$type":"dimension","$value":"1px"}}`,
		`{"a":{"$type":"color","$value":{"colorSpace":"srgb","components":[1,0,0]}},"b":{"$type":"color","$value":"#123456"},"c":{"$type":"dimension","$value":"2px"}}`)
	got := string(AppendMarkdown(nil, Comparison{Changes: list}))
	for _, want := range []string{"| `a` | `#0055AA` | `#ff0000` |", "| `b` | `{a}` `#0055aa` | `#123456` |", "| `c` | `1px` | `2px` |"} {
		if !strings.Contains(got, want) {
			t.Errorf("the comment has no %s:\n%s", want, got)
		}
	}
}

func TestNoAnswerIsExplained(t *testing.T) {
	request := func(err error) error {
		return fmt.Errorf("client: %w", &url.Error{Op: "Get", URL: "https://o.example/x", Err: err})
	}
	cases := []struct {
		rule string
		err  error
		want string
	}{
		{"nobody listens", request(&net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}, Err: errors.New("refused")}), "no server answers at 127.0.0.1:1"},
		{"an unknown name", request(&net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Name: "o.example", Err: "no such host"}}), "no server is known by the name o.example"},
		{"no answer in time", request(context.DeadlineExceeded), "the server did not answer in time: https://o.example"},
		{"anything else", request(errors.New("tls: broken")), "the connection to https://o.example failed: tls: broken"},
		{"TLS where there is none", request(http.ErrSchemeMismatch), "https://o.example does not use TLS"},
		{"a certificate of nobody known", request(&tls.CertificateVerificationError{Err: errors.New("unknown authority")}), "the certificate of https://o.example is not trusted: unknown authority"},
	}
	for _, c := range cases {
		if got := term.Explain(c.err); got.Sentence != c.want || got.Next == "" {
			t.Errorf("%s: explain() = %q, next %q, want %q", c.rule, got.Sentence, got.Next, c.want)
		}
	}
}
