package tokens

import (
	"example.com/livery/cli/tokens/lint"
	"example.com/livery/cli/tokens/validate"
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
	dtcg.OverrideIgnored:  "Fix the path, or remove the override with livery edit --unset.",
	dtcg.TokenHasChildren: "Move what is inside out of the token, or make the token the $root of a group.",
}

// advise says of each fault what to do about it. A token that is a fault itself is not suggested.
func advise(list []lint.Fault, paths []string) {
	faulty := map[string]bool{}
	for _, f := range list {
		faulty[f.Path] = true
	}
	known := validate.NewNames(faulty, paths)
	for i, f := range list {
		if f.Next != "" {
			continue
		}
		list[i].Next = advices[f.Kind]
		if near := known.Nearest(dtcg.Diagnostic{Path: f.Path, Kind: f.Kind, Message: f.Message}); near != "" {
			list[i].Next = "Did you mean " + near + "? " + list[i].Next
		}
	}
}
