package page

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/livery/renderer/jsontree"
)

func draw(t testing.TB, in Input, theme, overrides string) string {
	t.Helper()
	parse := func(text string) *jsontree.Node {
		n, err := jsontree.Parse(text)
		if err != nil {
			t.Fatalf("Parse(%s): %v", text, err)
		}
		return n
	}
	in.Theme = parse(theme)
	if overrides != "" {
		in.Variants = []Variant{{cmp.Or(in.Title, "The Variant"), parse(overrides)}}
	}
	return string(Append(nil, in))
}

func TestEveryTypeIsDrawnInItsSection(t *testing.T) {
	const theme = `{
	  "brand": {"$type":"color","$value":"#0055aa","$description":"The <one>."},
	  "link": {"$type":"color","$value":"{brand}"},
	  "body": {"$type":"typography","$value":{"fontFamily":"Inter","fontSize":"16px","letterSpacing":"1px"}},
	  "part": {"$type":"typography","$value":{"fontSize":"20px"}},
	  "face": {"$type":"fontFamily","$value":"Inter"},
	  "bold": {"$type":"fontWeight","$value":700},
	  "gap": {"$type":"dimension","$value":"8px"},
	  "radius": {"$type":"dimension","$value":"4px"},
	  "card": {"$type":"shadow","$value":{"offsetX":"0px","offsetY":"1px","blur":"2px","spread":"0px","color":"#000"}},
	  "line": {"$type":"border","$value":{"width":"1px","style":"solid","color":"#000"}},
	  "dash": {"$type":"strokeStyle","$value":"dotted"},
	  "sky": {"$type":"gradient","$value":[{"color":"#fff","position":0},{"color":"#00f","position":1}]},
	  "fast": {"$type":"duration","$value":"200ms"},
	  "ease": {"$type":"cubicBezier","$value":[0,0,1,1]},
	  "z": {"$type":"number","$value":3},
	  "gone": {"$value":"{nothing}"}
	}`
	got := draw(t, Input{Title: "A & B"}, theme, "")
	for _, want := range []string{
		"<title>A &amp; B</title>", "  --brand: #0055aa;\n", "The &lt;one&gt;.", "{brand} = </small>",
		"--livery-page-sample:var(--brand)", "font:var(--body);letter-spacing:var(--body-letter-spacing)", ";font-size:var(--part-font-size)",
		"font-family:var(--face)", "font-weight:var(--bold)", "width:var(--gap)", "border-radius:var(--radius)", "box-shadow:var(--card)",
		"border:var(--line)", "border-style:var(--dash)", "background:var(--sky)", "animation-duration:var(--fast)",
		"animation-timing-function:var(--ease)", "<h2>Others <small>1</small>", "<code>gone</code> aliasMissing: ", "16 tokens",
		"font-size: 20px</code>",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(got, "connect-src") || strings.Contains(got, "data-live>") {
		t.Error("a page that is not live may ask a server")
	}
}

// The policy of a page lets the page's own script run and nothing else load.
func TestThePolicyAllowsThePagesScriptAlone(t *testing.T) {
	got := draw(t, Input{Live: true}, `{}`, "")
	policy := regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(got)
	script := regexp.MustCompile(`(?s)<script>(.*)</script>`).FindStringSubmatch(got)
	if policy == nil || script == nil {
		t.Fatal("the page has no policy, or no script")
	}
	sum := sha256.Sum256([]byte(script[1]))
	want := "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'unsafe-inline'; script-src 'sha256-" +
		base64.StdEncoding.EncodeToString(sum[:]) + "'; connect-src 'self'"
	if policy[1] != want {
		t.Errorf("the policy is\n%s\nwant\n%s", policy[1], want)
	}
	for _, away := range []string{"http:", "https:", "//cdn", "@import", "url("} {
		if strings.Contains(got, away) {
			t.Errorf("the page contains %q", away)
		}
	}
}

// A Variant is shown beside the Theme with its own values, and what it changes is marked.
func TestAVariantStandsBesideTheTheme(t *testing.T) {
	got := draw(t, Input{Prefix: "x"}, `{"a":{"$type":"color","$value":"#000"},"b":{"$type":"color","$value":"#00f"}}`, `{"a":"#fff","gone":"#f00"}`)
	for _, want := range []string{
		":root {\n  --x-a: #000;", ".variant-1 {\n  --x-a: #fff;", `<div class="swatch variant-1" style="--livery-page-sample:var(--x-a)">`,
		"2 tokens, 2 overrides of The Variant", "<code>#000</code>", "<code>#fff</code>", "overrideIgnored: ", "(The Variant)",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if n := strings.Count(got, `"of differs">The Variant<`); n != 1 {
		t.Errorf("%d tokens are marked as changed, want 1", n)
	}
}

// Sections are divided by the first two names of the parents, and the contents link each division.
func TestTheContentsLinkEveryGroup(t *testing.T) {
	got := draw(t, Input{}, `{"color":{"$type":"color","ink":{"$value":"#000"},"brand":{"a":{"$value":"#111"},"deep":{"b":{"$value":"#222"}}}},
		"top":{"$type":"color","$value":"#333"},"z":{"$type":"number","$value":3}}`, "")
	links := regexp.MustCompile(`<a href="#([^"]*)">([^\n]*)</a>`).FindAllStringSubmatch(got, -1)
	var names []string
	for _, link := range links {
		names = append(names, link[2])
		if strings.Count(got, ` id="`+link[1]+`"`) != 1 {
			t.Errorf("the link to %s leads nowhere", link[1])
		}
	}
	want := []string{"Colours <small>4</small>", "color", "color.<wbr>brand", "Without a group", "Others <small>1</small>", "Without a group"}
	if !slices.Equal(names, want) {
		t.Errorf("the contents are %q, want %q", names, want)
	}
}

// No token leaves its place in the page, whatever it says.
func TestTokensCannotDrawThePage(t *testing.T) {
	attacks := []string{`</style><script>alert(1)</script>`, `"><img src=x>`, `x;} body{display:none`, `</title><b>`, `' onload='x`}
	for _, attack := range attacks {
		quoted := string(jsontree.AppendString(nil, attack))
		theme := `{` + quoted + `:{"$type":"string","$value":` + quoted + `,"$description":` + quoted + `},"f":{"$type":"fontFamily","$value":` + quoted + `},"c":{"$type":"color","$value":` + quoted + `}}`
		got := draw(t, Input{Title: attack}, theme, `{"f":`+quoted+`,`+quoted+`:`+quoted+`}`)
		head, rest, _ := strings.Cut(got, "<style>")
		_, body, _ := strings.Cut(rest, "</style>")
		if strings.Count(body, "<script>") != 1 || !strings.HasSuffix(body, "<script>"+ownScript+"</script></body></html>\n") {
			t.Errorf("a token that says %q has a script", attack)
		}
		body = strings.TrimSuffix(body, "<script>"+ownScript+"</script></body></html>\n")
		for _, evil := range []string{"<script", "<img", "</title><", "onload='"} {
			if strings.Contains(head+body, evil) {
				t.Errorf("a token that says %q leaves %q in the page", attack, evil)
			}
		}
		if strings.Count(got, "</style>") != 1 {
			t.Errorf("a token that says %q ends the style", attack)
		}
	}
}

// Every real design system gives a page, and all that is not left out stands in it.
func TestRealDesignSystemsGiveAPage(t *testing.T) {
	names, _ := filepath.Glob("../../../shared/corpus/*.tokens.json")
	if len(names) == 0 {
		t.Skip("SKIPPED: the corpus of real design systems is not beside this repository")
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := draw(t, Input{Title: name}, string(text), ""); strings.Count(got, "<figure") < 3 {
			t.Errorf("%s has %d tokens in its page", name, strings.Count(got, "<figure"))
		}
	}
}
