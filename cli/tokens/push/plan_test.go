package push

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/livery/cli/account"
	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokenfile"
	"example.com/livery/cli/tokens/batch"
	"example.com/livery/cli/tokens/designsystem"
	"example.com/livery/cli/tokens/source"
	"example.com/livery/cli/tokens/validate"
	"example.com/livery/client"
	"example.com/livery/internal/test/tokentreetest"
	"example.com/livery/renderer/jsontree"
)

// TestWhatIsStoredInTheSameFormIsNotLost: to push what was pulled asks for nothing.
func TestWhatIsStoredInTheSameFormIsNotLost(t *testing.T) {
	const nested = `{"a":{"$value":1,"b":{"$value":2}},"c":{"$value":3}}`
	inside := []validate.Dropped{{Path: "a.b", Pointer: "/a/b", Tokens: 1}}
	const slip = `{"a":{"b":{"$vlaue":2}},"c":{"$value":3}}`
	cases := []struct {
		rule, files, stored string
		theme               string // of a Variant
		faults              []validate.Dropped
		replace             bool
		lost, of            int
	}{
		{rule: "a token in a token is lost", files: nested, stored: `{}`, faults: inside, lost: 1, of: 3},
		{rule: "unless the Theme has it", files: nested, stored: nested, faults: inside, of: 2},
		{rule: "with the same value", files: nested, stored: `{"a":{"$value":1,"b":{"$value":4}}}`, faults: inside, lost: 1, of: 3},
		{rule: "a token without a $value is lost", files: slip, stored: `{}`, faults: inside, lost: 1, of: 2},
		{rule: "unless the Theme has it so", files: slip, stored: slip, faults: inside, of: 1},
		{rule: "a fault that is not in the tree", files: `{"c":{"$value":3}}`, stored: nested, faults: inside, lost: 1, of: 2},
		{rule: "an alias of nothing is lost", files: `{"a":{"$value":"{x}"}}`, stored: `{"a":{"$value":"{y}"}}`, lost: 1, of: 1},
		{rule: "unless the Theme has it", files: `{"a":{"$value":"{x}"}}`, stored: `{"a":{"$value":"{x}"}}`, of: 1},
		{rule: "and its target is removed now", files: `{"a":{"$value":"{x}"}}`, stored: `{"a":{"$value":"{x}"},"x":{"$value":1}}`, replace: true, lost: 1, of: 1},
		{rule: "an override of nothing is lost", files: `{"a":"{x}"}`, stored: `{}`, theme: `{"a":{"$value":1}}`, lost: 1, of: 1},
		{rule: "unless the Variant has it", files: `{"a":"{x}"}`, stored: `{"a":"{x}"}`, theme: `{"a":{"$value":1}}`, of: 1},
		{rule: "so is what refers to it", files: `{"a":"{x}"}`, stored: `{}`, theme: `{"a":{"$value":1},"b":{"$value":"{a}"}}`, lost: 2, of: 2},
		{rule: "unless it did before", files: `{"a":"{x}"}`, stored: `{"a":"{x}"}`, theme: `{"a":{"$value":1},"b":{"$value":"{a}"}}`, of: 2},
	}
	for _, c := range cases {
		f := target.Resolved{}
		if c.theme != "" {
			f.Variant = &client.Variant{}
		}
		s := &source.Sources{Tree: tokentreetest.Parse(t, c.files), Faults: c.faults}
		target := newPushTarget(nil, nil, f, pushFlags{replace: c.replace}, s)
		target.base = tokentreetest.Parse(t, c.stored)
		if c.theme != "" {
			target.theme = tokentreetest.Parse(t, c.theme)
		}
		plan := target.plan()
		if r := plan.remains; r.lost() != c.lost || r.Of != c.of {
			t.Errorf("%s: %s over %s loses %d of %d, want %d of %d", c.rule, c.files, c.stored, r.lost(), r.Of, c.lost, c.of)
		}
	}
}

// TestAPushOfTheStoredDocumentChangesNothing: not even what a push of other files would repair. References are applied.
func TestAPushOfTheStoredDocumentChangesNothing(t *testing.T) {
	const odd = `{"a":{"$type":"color","$value":"4px"},"b":{"$Value":1},"c":{"$type":"dimension","$value":"16 px"},"d":{"$vlaue":1},"e":{"$value":"{c.value}","f":{"$value":1},"dark":"#000"}}`
	const overrides = `{"a":{"$value":4,"x":"1px"}}` // of one path, with this object
	for _, c := range []struct {
		text, stored string
		isVariant    bool
		isSame       bool
	}{
		{odd, odd, false, true},
		{odd, strings.Replace(odd, `"#000"`, `"#001"`, 1), false, false},
		{`{"a":{"$value":1},"b":{"$ref":"#/a"}}`, `{"a":{"$value":1},"b":{"$ref":"#/a"}}`, false, false},
		{overrides, overrides, true, true},
		{overrides, `{"a":4}`, true, true},
	} {
		name := filepath.Join(t.TempDir(), "in.json")
		if err := os.WriteFile(name, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := source.Read(&term.App{}, c.isVariant, []string{name}, tokenfile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		stored := tokentreetest.Parse(t, c.stored)
		to := target.Resolved{}
		if c.isVariant {
			to.Variant = &client.Variant{}
		}
		p := newPushTarget(nil, nil, to, pushFlags{}, s.AsStored(stored))
		p.base = stored
		if plan := p.plan(); (plan.count == 0 && plan.remains.lost() == 0) != c.isSame {
			t.Errorf("%s over %s: %d operations, %d tokens lost, want none: %v", c.text, c.stored, plan.count, plan.remains.lost(), c.isSame)
		}
	}
}

// TestStrictRefusesValuesThatAreTexts: where a declaration would need more. So it does files that cannot be read.
func TestStrictRefusesValuesThatAreTexts(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":{"value":"1px"},"b":{"value":"calc(1px"}}`: "b: ", `{"a":{"value":"1px"},"b":{"value":"url(x)"}}`: "b: ", `{"a":{"value":"1px"},"b":{"value":"Hello."}}`: "",
		`{"a":{"$value":"{{x}}"},"{x}":{"$value":"1px"}}`: "", `{"b":{"$value":"{{x}}"},"x":{"$value":"1px"}}`: "b: ",
	} {
		name := filepath.Join(t.TempDir(), "in.json")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := source.Theme(&term.App{}, []string{name}, tokenfile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		err = refuseFaults(s)
		f, isFailure := errors.AsType[*term.Failure](err)
		if isFailure != (want != "") || isFailure && (len(f.Faults) != 1 || !strings.HasPrefix(f.Faults[0], want+name+":1: ")) {
			t.Errorf("%s: refused with %+v, want %q", text, f, want)
		}
	}
	if err := refuseFaults(&source.Sources{Unread: []validate.Dropped{{Path: "a.json"}}}); err == nil {
		t.Error("a file that cannot be read is not refused")
	}
}

// TestStrictRefusesWhatTheOriginWould: before anything is sent, and in a dry run too.
func TestStrictRefusesWhatTheOriginWould(t *testing.T) {
	const theme = `{"a":{"$type":"color","$value":"#fff"}}`
	for _, c := range []struct {
		files, stored string
		isVariant     bool
		want          []string
	}{
		{`{"b":{"$type":"color","$value":null}}`, theme, false, []string{"b: a value of type color cannot be null"}},
		{`{"x-b":{"$value":1},"x":{"b":{"$value":2}}}`, theme, false, []string{"x-b: --x-b of x-b is also declared by x.b, which comes later and wins"}},
		{`{"b":{"$value":"{nowhere}"}}`, theme, false, []string{"b: {nowhere} names no token"}},
		{`{"color":{"brand":{"$value":1}},"b":{"$value":"{color.brnd}"}}`, theme, false, []string{"b: {color.brnd} names no token; did you mean color.brand?"}},
		{`{"b":{"$value":1,"n":"x","m":{}}}`, theme, false, []string{"b: a token has no members but the $… ones; the others are never read: n, m"}},
		{`{"b":{"$value":"{c}"}}`, `{"b":{"$value":"{c}"}}`, false, nil},
		{`{"` + strings.Repeat("n", 257) + `":{"$value":1}}`, theme, false, []string{strings.Repeat("n", 257) + ": a name has at most 256 characters, and this has 257: 1"}},
		{`{"a":"#000"}`, `{}`, true, nil},
		{`{"a":"4px","b{":"4px"}`, `{}`, true, []string{"b{: a name holds none of { }", "a: the override is ignored, the Theme's own value stands: color: not a colour"}},
	} {
		f := target.Resolved{}
		if c.isVariant {
			f.Variant = &client.Variant{}
		}
		p := newPushTarget(nil, nil, f, pushFlags{strict: true, dryRun: true}, &source.Sources{Tree: tokentreetest.Parse(t, c.files)})
		p.base, p.theme = tokentreetest.Parse(t, c.stored), tokentreetest.Parse(t, theme)
		failure, _ := errors.AsType[*term.Failure](p.refuseStrict(p.plan()))
		var got []string
		if failure != nil {
			got = failure.Faults
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s over %s is refused with %q, want %q", c.files, c.stored, got, c.want)
		}
	}
}

// TestStrictRefusesEachValueThatAFileOfAFolderReplaces: of many tokens too, unless --yes says that the last counts.
func TestStrictRefusesEachValueThatAFileOfAFolderReplaces(t *testing.T) {
	dir, many := t.TempDir(), `"t":{"$value":0}`
	for i := range 100 {
		many += `,"t` + strconv.Itoa(i) + `":{"$value":1}`
	}
	for name, text := range map[string]string{"a.json": "{" + many + "}", "b.json": `{"t":{"$value":2}}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := source.Theme(&term.App{}, []string{dir}, tokenfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		flags   pushFlags
		refused bool
	}{{pushFlags{}, false}, {pushFlags{strict: true}, true}, {pushFlags{strict: true, acceptLoss: true}, true}, {pushFlags{strict: true, confirmed: true}, false}} {
		err := (&app{&account.Session{App: &term.App{}}}).confirmFolder(t.Context(), s, &c.flags)
		if (err != nil) != c.refused {
			t.Errorf("strict %v, --accept-loss %v, --yes %v: %v, want a failure: %v", c.flags.strict, c.flags.acceptLoss, c.flags.confirmed, err, c.refused)
		}
	}
}

// TestADocumentThatIsTooLargeIsRefused: before the first of its requests is sent.
func TestADocumentThatIsTooLargeIsRefused(t *testing.T) {
	for size, refused := range map[int]bool{batch.MaxDocumentBytes - 40: false, batch.MaxDocumentBytes: true} {
		text := `{"a":{"$type":"string","$value":"` + strings.Repeat("x", size) + `"}}`
		p := newPushTarget(nil, nil, target.Resolved{}, pushFlags{}, &source.Sources{Tree: tokentreetest.Parse(t, text)})
		p.base = jsontree.NewObject()
		if err := p.refuseSize(p.plan()); (err != nil) != refused {
			t.Errorf("refuseSize(a value of %d bytes) = %v, want a failure: %v", size, err, refused)
		}
	}
}

// TestWhatIsNewInTheFilesJoinsTheModesOfThePlan: entries are DIMENSION.MODE=VARIANT, Variants DIMENSION/MODE, whose slug
// is their mode.
func TestWhatIsNewInTheFilesJoinsTheModesOfThePlan(t *testing.T) {
	const scheme = "scheme.light= scheme.dark=dark"
	cases := []struct {
		rule                      string
		before, files             string // the Variants of livery.yaml and those of the files
		decided, made, want, left string // the list of livery.yaml, the one of the files, that of the push, and what is not in it
	}{
		{"a new mode", "/dark", "/dark /dim", scheme, scheme + " scheme.dim=dim", scheme + " scheme.dim=dim", ""},
		{"a renamed mode", "/dark", "/night", scheme, "scheme.light= scheme.night=night", "scheme.light= scheme.night=night", ""},
		{"a renamed mode of a dimension of another name in livery.yaml", "Mode/dark", "Mode/night", "scheme.light= scheme.dark=dark", "mode.light= mode.night=night", "scheme.light= scheme.night=night", ""},
		{"a mode of another kind", "/dark", "/hc", scheme, "contrast.default= contrast.hc=hc", "scheme.light= contrast.default= contrast.hc=hc", ""},
		{"a new dimension", "Mode/dark", "Mode/dark Density/compact", scheme, "mode.light= mode.dark=dark density.cozy= density.compact=compact", scheme + " density.cozy= density.compact=compact", ""},
		{"a mode that livery.yaml leaves out", "/dark /dim", "/dark /dim", scheme, scheme + " scheme.dim=dim", scheme, ""},
		{"a new mode of a dimension that it leaves out", "A/x B/y", "A/x B/y B/z", "a.w= a.x=x", "a.w= a.x=x b.v= b.y=y b.z=z", "a.w= a.x=x", ""},
		{"a dimension that it has no room for", "A/b", "A/b Z/y", "a.a= a.b=b c.a= d.a= e.a=", "a.a= a.b=b z.x= z.y=y", "a.a= a.b=b c.a= d.a= e.a=", "z.y"},
	}
	for _, c := range cases {
		list := func(text string) (all []designsystem.ThemeMode) {
			for _, field := range strings.Fields(text) {
				name, variant, _ := strings.Cut(field, "=")
				dimension, mode, _ := strings.Cut(name, ".")
				all = append(all, designsystem.ThemeMode{Dimension: dimension, Mode: mode, Variant: variant})
			}
			return all
		}
		decided, plan := list(c.decided), &designsystem.Plan{}
		s := &system{decided: &planFile{Modes: &decided}, plan: plan}
		for _, field := range strings.Fields(c.before) {
			dimension, mode, _ := strings.Cut(field, "/")
			s.decided.Variants = append(s.decided.Variants, planVariant{Dimension: dimension, Mode: mode, Slug: mode})
		}
		for _, field := range strings.Fields(c.files) {
			dimension, mode, _ := strings.Cut(field, "/")
			plan.Variants = append(plan.Variants, designsystem.Variant{Mode: designsystem.Mode{Dimension: dimension, Name: mode}, Slug: mode})
		}
		var got, left []string
		for _, m := range s.decidedModes(list(c.made)) {
			got = append(got, m.Dimension+"."+m.Mode+"="+m.Variant)
		}
		for _, l := range s.left {
			left = append(left, l.Dimension)
		}
		if strings.Join(got, " ") != c.want || strings.Join(left, " ") != c.left {
			t.Errorf("%s: the list is %s without %q, want %s without %q", c.rule, strings.Join(got, " "), left, c.want, c.left)
		}
	}
}

// TestAPlanFollowsADimensionThatHasAnotherName: if the default and another mode of it are in a dimension that is new.
func TestAPlanFollowsADimensionThatHasAnotherName(t *testing.T) {
	of := func(name string, modes ...string) tokenfile.Dimension {
		return tokenfile.Dimension{Name: name, Modes: modes}
	}
	for _, c := range []struct {
		rule     string
		files    []tokenfile.Dimension
		defaults string // of the files
		want     string // the dimension of the Variant
	}{
		{"the same name", []tokenfile.Dimension{of("", "light", "dark")}, "dark", ""},
		{"the name of a folder", []tokenfile.Dimension{of("size", "s", "m"), of("tokens", "light", "dark", "hc")}, " dark", "tokens"},
		{"another dimension with these modes", []tokenfile.Dimension{of("icons", "light", "dark"), of("", "light", "dark")}, " dark", ""},
		{"other modes", []tokenfile.Dimension{of("tokens", "dark", "hc")}, "", ""},
	} {
		p := &planFile{Defaults: []planVariant{{Mode: "dark"}}, Variants: []planVariant{{Mode: "light", Slug: "day"}, {Mode: "gone", Slug: "x"}}}
		if got := strings.Join(p.defaultsOf(c.files), " "); got != c.defaults || p.Variants[0].Dimension != c.want {
			t.Errorf("%s: the defaults are %q, want %q; the Variant is of %q, want %q", c.rule, got, c.defaults, p.Variants[0].Dimension, c.want)
		}
	}
	p := &planFile{Defaults: []planVariant{{"Mode", "light", "", false}, {"mode ", "s", "", false}}, Variants: []planVariant{{"Mode", "dark", "d", false}, {"mode ", "m", "x", false}, {"mode ", "dark", "y", false}}}
	files := []tokenfile.Dimension{of("mode", "light", "dark", "s", "m")}
	if got := p.defaultsOf(files); !slices.Equal(got, []string{"light"}) || p.slugs()[[2]string{"mode", "m"}] != "x" || p.slugs()[[2]string{"mode", "dark"}] != "d" {
		t.Errorf("two names that differ in letter case: the defaults are %q, the slugs %v", got, p.slugs())
	}
}

// TestWhatNoVariantTellsIsNamed: what a skipped mode shows is not lost, and what files of a brand in a mode lose is, though
// they say what the brand and the mode do.
func TestWhatNoVariantTellsIsNamed(t *testing.T) {
	const token = `{"$type":"number","$value":`
	for _, c := range []struct {
		files map[string]string
		skip  planVariant
		want  string // the tokens that are lost
	}{
		{map[string]string{"a.resolver.json": `{"version":"2025.10","modifiers":{"theme":{"default":"light","contexts":{"light":[{"x":{"$value":1},"y":{"$value":2}}]}},` +
			`"density":{"default":"normal","contexts":{"normal":[{"x":{"$value":3},"y":{"$value":4}}],"compact":[{"y":{"$value":5}}]}}},` +
			`"resolutionOrder":[{"$ref":"#/modifiers/theme"},{"$ref":"#/modifiers/density"}]}`}, planVariant{Dimension: "density", Mode: "compact", Skip: true}, "y"},
		{map[string]string{
			"brands/x/light.json": `{"a":` + token + `1},"b":` + token + `2}}`, "brands/x/dark.json": `{"b":` + token + `3}}`,
			"brands/y/light.json": `{"a":` + token + `4},"b":` + token + `2}}`, "brands/y/dark.json": `{"b":` + token + `3},"c":{"$vlaue":5}}`,
		}, planVariant{}, "c"},
		{map[string]string{
			"$metadata.json": `{"tokenSetOrder":["x/light","x/dark","y/light","y/dark","top"]}`, "x/light.json": `{"b":` + token + `2}}`, "x/dark.json": `{"b":` + token + `3}}`,
			"y/light.json": `{"b":` + token + `4}}`, "y/dark.json": `{"a":` + token + `5},"b":` + token + `3}}`, "top.json": `{"a":` + token + `6}}`,
		}, planVariant{}, "a"},
	} {
		dir := t.TempDir()
		for name, text := range c.files {
			file := filepath.Join(dir, filepath.FromSlash(name))
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o750), os.WriteFile(file, []byte(text), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		s := &system{files: []string{dir}, decided: &planFile{Variants: []planVariant{c.skip}}}
		if err := s.read(&term.App{}, tokenfile.Options{}); err != nil {
			t.Fatal(err)
		}
		if len(s.theme.Faults) != 1 || s.theme.Faults[0].Path != c.want {
			t.Errorf("of %v lost are %v, want %s", c.files, s.theme.Faults, c.want)
		}
	}
}
