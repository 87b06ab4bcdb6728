package dtcg

import "slices"

// The kinds of diagnostics, as the API spells them.
const (
	AliasMissing     = "aliasMissing"     // an alias names nothing
	AliasCycle       = "aliasCycle"       // the token is in a cycle of aliases, or needs one that is
	AliasToGroup     = "aliasToGroup"     // an alias names a group
	ValueMisfit      = "valueMisfit"      // the value does not fit the token's type
	ValueUnsafe      = "valueUnsafe"      // the value could break out of its place in a stylesheet
	NameCollision    = "nameCollision"    // two tokens have one custom property name
	OverrideIgnored  = "overrideIgnored"  // the Variant overrides a path that the Theme lacks
	TokenHasChildren = "tokenHasChildren" // members inside a token are kept and never served
)

// Diagnostic says what a served file leaves out, and why.
type Diagnostic struct {
	Path    string // of the token or the override
	Kind    string // one of the kinds above
	Message string // for a person, one line
}

// Diagnostics returns what Read and Overlay found, in document order; overrides of paths that the
// Theme lacks come last. The caller must not change the result.
func (d *Document) Diagnostics() []Diagnostic { return d.diagnostics }

// Sort brings diagnostics into document order and keeps the order of those of one token.
func (d *Document) Sort(diagnostics []Diagnostic) {
	if len(diagnostics) < 2 {
		return
	}
	// A number that holds the position of the token, and below it that of the diagnostic: the guest has
	// one sorting function, and it is a small one.
	keys := make([]uint64, len(diagnostics))
	for i := range diagnostics {
		keys[i] = uint64(d.position(diagnostics[i].Path))<<32 | uint64(i)
	}
	slices.Sort(keys)
	before := slices.Clone(diagnostics)
	for i, key := range keys {
		diagnostics[i] = before[uint32(key)]
	}
}

// CollisionDiagnostic reports that a later token took a custom property name from t.
func CollisionDiagnostic(t, winner *Token, name string) Diagnostic {
	return Diagnostic{t.Path, NameCollision, clip(name) + " of " + clip(t.Path) + " is also declared by " +
		clip(winner.Path) + ", which comes later and wins"}
}
