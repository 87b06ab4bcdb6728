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
	"example.com/livery/cli/tokens/source"
	"example.com/livery/cli/tokens/tokentreetest"
	"example.com/livery/cli/tokens/validate"
	"example.com/livery/client"
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

// TestStrictRefusesValuesThatAreTexts: where a declaration would need more.
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
