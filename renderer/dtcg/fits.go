package dtcg

import (
	"example.com/livery/renderer/css"
	"example.com/livery/renderer/jsontree"
)

// Fits reports whether v could stand as the value of a token of type typ in d: by JSON kind and
// grammar, with its aliases replaced by what they name in d. An alias of nothing fits; an alias of
// a token that itself has no value fits when the types are rendered alike.
func Fits(d *Document, typ string, v *jsontree.Node) bool {
	k, _ := KindOf(typ)
	if v == nil {
		return false
	}
	refs := d.appendRefs(nil, v)
	for _, ref := range refs {
		if ref == refMissing {
			return css.FitsKind(k, v) || v.IsString()
		}
		if d.Tokens[ref].Served == nil {
			target, _ := KindOf(d.Tokens[ref].Resolved)
			return target == k || target == css.Unknown
		}
	}
	if len(refs) > 0 {
		b := builder{resolver: &resolver{d: d, states: states{all: d.Tokens}}, refs: refs}
		if v = b.replace(v, 1); b.failed != nil {
			return false
		}
	}
	return misfit(k, v) == nil
}
