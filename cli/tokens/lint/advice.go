package lint

import (
	"slices"
	"strings"

	"example.com/livery/cli/term"
	"example.com/livery/client"
	"example.com/livery/renderer/dtcg"
)

// advices say what to do about each kind of diagnostic.
var advices = map[string]string{
	dtcg.AliasMissing:     "Name a token that exists.",
	dtcg.AliasCycle:       "Give one of these tokens a value of its own.",
	dtcg.AliasToGroup:     "Name one token of that group.",
	dtcg.ValueMisfit:      "Write a value of the token's type, or give the token another $type.",
	dtcg.ValueUnsafe:      "Write a plain value: nothing in it may end a declaration or make a browser fetch anything.",
	dtcg.NameCollision:    "Rename one of the two tokens.",
	dtcg.OverrideIgnored:  "Fix the path, or remove the override with livery unset.",
	dtcg.TokenHasChildren: "Move what is inside out of the token, or make the token the $root of a group.",
}

// maxCompared bounds how many names a slip is looked for in.
const maxCompared = 20_000

// Advise says of each fault what to do about it. A token that is a fault itself is not suggested.
func Advise(list []Fault, paths []string) {
	faulty := map[string]bool{}
	for _, f := range list {
		faulty[f.Path] = true
	}
	sound := slices.DeleteFunc(paths, func(path string) bool { return faulty[path] })
	for i, f := range list {
		if f.Next == "" {
			list[i].Next = advice(f.Diagnostic, sound)
		}
	}
}

// advice says what to do about a diagnostic, with the nearest name if one is missing.
func advice(d client.Diagnostic, paths []string) string {
	next, wrong := advices[d.Kind], ""
	switch d.Kind {
	case dtcg.AliasMissing:
		_, rest, _ := strings.Cut(d.Message, "{")
		wrong, _, _ = strings.Cut(rest, "}")
	case dtcg.OverrideIgnored:
		wrong = d.Path
	}
	if wrong == "" || len(paths) > maxCompared {
		return next
	}
	if near := term.Nearest(wrong, paths); near != "" {
		return "Did you mean " + near + "? " + next
	}
	return next
}
