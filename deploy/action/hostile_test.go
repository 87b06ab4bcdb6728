package action_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/livery/internal/test/program"
)

// hostile is a token file whose names and values are markup for GitHub's log, its comments and a terminal.
const hostile = `{"color": {"$type": "color",
"a\n\n</code></pre>![p](https://evil/p) @octocat <img src=x>\n::error title=x::forged\n::add-mask::a\n::stop-commands::x\u001b[31m` + "`" + `|": {"$value": "#fff"},
"b\u202e\r\n::set-output name=x::y": {"$value": "{missing\n\n# Heading @team\n::error::forged}"},
"c": {"$type": "string", "$value": "\n\n/close\n# Heading\n![x](y) @team https://evil"}}}`

// obeyed returns the lines of a log in which GitHub's runner looks for commands: all until one line stops that, and from
// the line that ends it.
func obeyed(t *testing.T, log string) (commands []string) {
	t.Helper()
	stopped := ""
	for line := range strings.FieldsFuncSeq(log, func(r rune) bool { return r == '\n' || r == '\r' }) {
		line = strings.TrimSpace(line)
		word, stops := strings.CutPrefix(line, "::stop-commands::")
		switch {
		case stopped != "" && line == "::"+stopped+"::":
			stopped = ""
		case stopped != "":
		case stops:
			stopped = word
			if len(word) < 32 {
				t.Errorf("%q can be guessed", line)
			}
		case line != "":
			commands = append(commands, line)
		}
	}
	if stopped != "" {
		t.Errorf("the log stays stopped:\n%s", log)
	}
	return commands
}

// TestNothingInATokenFileIsObeyed: a token file writes no command into the log and no markup into a comment, neither by
// a name nor by a value, when it is reviewed, pushed or refused.
func TestNothingInATokenFileIsObeyed(t *testing.T) {
	d := startDev(t)
	create(t, d)
	f := newForge(t, d.Token)
	s := newGitHub(t, d, f)
	s.write("hostile.json", hostile)
	review, code := s.run("review", "hostile.json")
	if code != 1 {
		t.Errorf("review = %d, want 1\n%s", code, review)
	}
	accepting := newGitHub(t, d, f, "LIVERY_LOSS=drop") // one of its tokens is an alias of none
	accepting.write("hostile.json", hostile)
	release, code := accepting.run("release", "hostile.json")
	if code != 0 {
		t.Errorf("release = %d\n%s", code, release)
	}
	s.write("hostile.json", strings.Replace(hostile, `"$value": "#fff"`, `"$value": null`, 1))
	refused, code := s.run("release", "hostile.json")
	if code != 1 {
		t.Errorf("release of what is refused = %d, want 1\n%s", code, refused)
	}
	mask := "::add-mask::" + d.Token
	fault := `::error file=hostile.json,line=3::color.b\u202e ::set-output name=x::y: {missing # Heading @team ::error::forged} names no token Name a token that exists.`
	for _, c := range []struct {
		log  string
		want []string
	}{{review, []string{mask, fault}}, {release, []string{mask}}, {refused, []string{mask}}} {
		if got := obeyed(t, c.log); !slices.Equal(got, c.want) {
			t.Errorf("GitHub looks for commands in %q, want %q", got, c.want)
		}
		if strings.ContainsAny(c.log, "\x1b\u202e\r") {
			t.Errorf("a terminal is driven: %q", c.log)
		}
	}
	if len(f.comments) != 1 {
		t.Fatalf("the comments are %q", f.comments)
	}
	outside := regexp.MustCompile("`[^`\n]+`").ReplaceAllString(f.comments[0].Body, "…")
	if want := `### Livery: …

From the current document to the files: 3 tokens added.

| | token | before | after |
|-|-|-|-|
| 🟢 added | … |  | … … |
| 🟢 added | … |  | … |
| 🟢 added | … |  | … |

<details><summary>2 custom properties change</summary>

- added …
- added …

</details>

**The served files would leave out:**

- … … … …

` + mark + "\n"; outside != want {
		t.Errorf("the comment is, outside of code,\n%s\nwant\n%s", outside, want)
	}
}

// TestAChangeThatBreaksFailsIfAsked: fail-on-breaking ends the review with 1 after the comment; without it the comment
// alone says so. The page is drawn beside it.
func TestAChangeThatBreaksFailsIfAsked(t *testing.T) {
	d := startDev(t)
	create(t, d)
	f := newForge(t, d.Token)
	s := newGitHub(t, d, f, "LIVERY_OUT=page.html", "GITHUB_SERVER_URL=https://github.com", "GITHUB_RUN_ID=12")
	s.write("tokens.json", first)
	if said, code := s.run("release", "tokens.json"); code != 0 {
		t.Fatalf("release = %d\n%s", code, said)
	}
	s.write("tokens.json", `{"color": {"$type": "color", "brand": {"$value": "#0055aa"}}}`)
	for asked, want := range map[string]int{"": 0, "false": 0, "true": 1} {
		f.comments = nil
		s.env = append(s.env, "LIVERY_FAIL_ON_BREAKING="+asked)
		said, code := s.run("review", "tokens.json")
		if code != want || (code == 1) != strings.Contains(said, "the change can break a consumer") {
			t.Errorf("review with fail-on-breaking %q = %d, want %d\n%s", asked, code, want, said)
		}
		if len(f.comments) != 1 || !strings.Contains(f.comments[0].Body, "can break a consumer") ||
			!strings.Contains(f.comments[0].Body, "an artifact of [this run](https://github.com/acme/web/actions/runs/12#artifacts)") {
			t.Errorf("with fail-on-breaking %q the comments are %q", asked, f.comments)
		}
	}
	if page, err := os.ReadFile(filepath.Join(s.dir, "page.html")); err != nil || !strings.Contains(string(page), "color.<wbr>brand") {
		t.Errorf("the page is %.200q, %v", page, err)
	}
}

// TestAReviewThatCannotJudgeSaysWhy: without an answer of the origin no comment is written, and the reason is printed.
func TestAReviewThatCannotJudgeSaysWhy(t *testing.T) {
	f := newForge(t, "token")
	s := newGitHub(t, program.Dev{OriginURL: "http://127.0.0.1:1"}, f)
	s.write("tokens.json", first)
	said, code := s.run("review", "tokens.json")
	if code != 1 || !strings.Contains(said, "no server answers at 127.0.0.1:1") || len(f.calls) > 0 {
		t.Errorf("review = %d, changes %q\n%s", code, f.calls, said)
	}
	if got := obeyed(t, said); !slices.Equal(got, []string{"::add-mask::token"}) {
		t.Errorf("GitHub looks for commands in %q", got)
	}
}
