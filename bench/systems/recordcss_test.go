package systems

import (
	"flag"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var ownTo = flag.String("own", "", "the folder that the records of the packages' own stylesheets are written to, or are compared from")

// TestRecordOwn records the stylesheets that the packages have of their own.
func TestRecordOwn(t *testing.T) {
	if *ownTo == "" || *newer != "" {
		t.Skip("it reads the packages that make systems installs")
	}
	for _, s := range all {
		if len(s.css) == 0 {
			continue
		}
		r := &record{Name: s.name, Files: s.css}
		for _, name := range installed(t, s.css) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			r.Rules = append(r.Rules, rules(string(text))...)
		}
		usual := usualValues(r.Rules)
		inFiles := map[string]bool{}
		for _, l := range leaves(t, installed(t, s.files)) {
			inFiles[key(l.path)] = true
		}
		for _, name := range slices.Sorted(maps.Keys(usual)) {
			if !inFiles[(&row{system: s}).key(name)] {
				r.NotInFiles = append(r.NotInFiles, name)
			}
		}
		r.add("default", withoutReferences(usual))
		for _, rule := range r.Rules {
			with := maps.Clone(usual)
			maps.Copy(with, rule.Values)
			r.add(rule.Names[0], withoutReferences(with))
		}
		writeRecord(t, *ownTo, r)
	}
}

// usualValues are those of the rules for the root that have no condition, or else of the first rule.
func usualValues(rules []recordedContext) map[string]string {
	usual := map[string]string{}
	for _, rule := range rules {
		if ofRoot(rule.Names[0]) {
			maps.Copy(usual, rule.Values)
		}
	}
	for _, rule := range rules {
		for name, value := range rule.Values {
			if _, has := usual[name]; !has {
				usual[name] = value
			}
		}
	}
	return usual
}

func ofRoot(rule string) bool {
	selectors := regexp.MustCompile(`^@layer [^/]* / `).ReplaceAllString(rule, "")
	return slices.ContainsFunc(strings.Split(selectors, ","), func(selector string) bool {
		return slices.Contains([]string{":root", ":host", "html", ":where(html)"}, strings.TrimSpace(selector))
	})
}

// withoutReferences puts values in the place of each var().
func withoutReferences(sheet map[string]string) map[string]string {
	values := map[string]string{}
	for name, value := range sheet {
		values[name] = strings.TrimSpace(resolved(value, sheet, 0))
	}
	return values
}

// rules lists the custom properties of a stylesheet by the selector and the at-rules that they stand under, in its order.
func rules(text string) (list []recordedContext) {
	var at []string // what the block stands in
	declare := func(part string) {
		name, value, is := strings.Cut(strings.TrimSpace(part), ":")
		if name = strings.TrimSpace(name); !is || !strings.HasPrefix(name, "--") {
			return
		}
		where := strings.Join(at, " / ")
		i := slices.IndexFunc(list, func(c recordedContext) bool { return c.Names[0] == where })
		if i < 0 {
			i = len(list)
			list = append(list, recordedContext{[]string{where}, map[string]string{}})
		}
		list[i].Values[name] = strings.TrimSpace(value)
	}
	text = withoutComments(text)
	begin, parentheses, quote := 0, 0, byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '(':
			parentheses++
		case c == ')':
			parentheses--
		case parentheses > 0:
		case c == '{':
			at = append(at, strings.Join(strings.Fields(text[begin:i]), " "))
			begin = i + 1
		case c == ';':
			declare(text[begin:i])
			begin = i + 1
		case c == '}':
			declare(text[begin:i])
			at = at[:max(len(at)-1, 0)]
			begin = i + 1
		}
	}
	return list
}

// Custom properties are found under what they stand in.
func TestRules(t *testing.T) {
	for rule, want := range map[string]bool{":root, .light": true, "@layer a / :root": true, ".dark": false, "@media (x) / :root": false, ":root / @supports (x)": false} {
		if ofRoot(rule) != want {
			t.Errorf("ofRoot(%s) is %v", rule, !want)
		}
	}
	got := rules(`/* x */ :root{--a:1;--b: url(data:x;y{z}) } @media (x) { .dark, .d { --a: "}" ; color: red } }`)
	if len(got) != 2 || got[0].Names[0] != ":root" || got[0].Values["--b"] != "url(data:x;y{z})" || got[1].Names[0] != "@media (x) / .dark, .d" || got[1].Values["--a"] != `"}"` {
		t.Errorf("%q", got)
	}
}
