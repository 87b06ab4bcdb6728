package page

import (
	"os"
	"path/filepath"
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
		in.Overrides = parse(overrides)
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
		"<title>A &amp; B</title>", "  --brand: #0055aa;\n", "The &lt;one&gt;.", "{brand} = #0055aa",
		"--livery-page-sample:var(--brand)", "font:var(--body);letter-spacing:var(--body-letter-spacing)", ";font-size:var(--part-font-size)",
		"font-family:var(--face)", "font-weight:var(--bold)", "width:var(--gap)", "border-radius:var(--radius)", "box-shadow:var(--card)",
		"border:var(--line)", "border-style:var(--dash)", "background:var(--sky)", "animation-duration:var(--fast)",
		"animation-timing-function:var(--ease)", "<h2>Others <small>1</small>", "<code>gone</code> aliasMissing: ", "16 tokens",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(got, "<script") || !strings.Contains(got, "default-src 'none'; style-src 'unsafe-inline';\"") {
		t.Error("a page that is not live may run scripts")
	}
}

func TestAVariantsValuesAreShown(t *testing.T) {
	got := draw(t, Input{Prefix: "x", Live: true}, `{"a":{"$type":"color","$value":"#000"}}`, `{"a":"#fff"}`)
	for _, want := range []string{"  --x-a: #fff;", "var(--x-a)", "1 token, 1 override", `<script src="live.js" defer>`, "connect-src 'self'"} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// No token leaves its place in the page, whatever it says.
func TestTokensCannotDrawThePage(t *testing.T) {
	attacks := []string{`</style><script>alert(1)</script>`, `"><img src=x>`, `x;} body{display:none`, `</title><b>`, `' onload='x`}
	for _, attack := range attacks {
		quoted := string(jsontree.AppendString(nil, attack))
		theme := `{` + quoted + `:{"$type":"string","$value":` + quoted + `,"$description":` + quoted + `},"f":{"$type":"fontFamily","$value":` + quoted + `},"c":{"$type":"color","$value":` + quoted + `}}`
		got := draw(t, Input{Title: attack}, theme, "")
		head, rest, _ := strings.Cut(got, "<style>")
		_, body, _ := strings.Cut(rest, "</style>")
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
