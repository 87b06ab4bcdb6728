package renderer

import (
	"bytes"

	"example.com/livery/renderer/css"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/renderer/plan"
)

// change is a Variant of a compiled Theme, given by the tokens that it reaches. It is made if these
// become other values and no more: each file has the same tokens, members and braces as the Theme's,
// so that what stands between the reached tokens stays. It is not changed once it is made and may be
// read concurrently.
type change struct {
	of      *CompiledTheme
	delta   *dtcg.Delta
	css     []byte // the declarations of the tokens that are reached, back to back
	values  []byte // what tokens.values.json holds of them
	ends    []changeEnds
	misfits []dtcg.Diagnostic
}

// changeEnds are the ends of the texts of one token.
type changeEnds struct{ css, values int32 }

// changed lays overrides over the Theme. It returns nil if they do, or could do, more than change
// values: what they are worth is then found in the whole document alone.
func (c *CompiledTheme) changed(overrides []dtcg.Override) *change {
	if c.room < 0 {
		return nil
	}
	delta := c.base.Overlay(overrides)
	if delta == nil {
		return nil
	}
	v := &change{of: c, delta: delta, ends: make([]changeEnds, len(delta.At))}
	names := namer{prefix: c.prefix}
	var name []byte
	room, declared := c.room, c.declared
	for k, i := range delta.At {
		t := &delta.Tokens[k]
		before := v.endsBefore(k)
		if name = names.append(name[:0], t); !v.repeat(k, name) {
			v.render(t, name)
		}
		v.ends[k] = changeEnds{int32(len(v.css)), int32(len(v.values))}
		sheet, old := v.css[before.css:], c.declarations(i)
		declared += len(sheet) - len(old)
		room -= longest(t, len(sheet))
		if room < 0 || declared > maxDeclared || !c.sameShape(i, sheet, len(v.values) > int(before.values)) {
			return nil
		}
	}
	return v
}

// render adds the texts of a token.
func (v *change) render(t *dtcg.Token, name []byte) {
	if t.Served == nil {
		return
	}
	k, _ := dtcg.KindOf(t.Resolved)
	start := len(v.css)
	var misfit *css.Misfit
	if v.css, _, misfit = css.Declare(v.css, name, k, t.Served); misfit != nil {
		v.misfits = append(v.misfits, dtcg.MisfitDiagnostic(t, misfit))
	}
	if len(v.css) > start {
		v.values, _ = css.AppendPrimitive(v.values, k, t.Served)
	}
}

// repeat is render for an alias of a token whose texts are there, which differ by the name alone. It
// reports whether token k is one.
func (v *change) repeat(k int, name []byte) bool {
	from := int(v.delta.Alias(k))
	if from < 0 || from >= k {
		return false
	}
	t, named := &v.delta.Tokens[k], &v.delta.Tokens[from]
	before, end := v.endsBefore(from), v.ends[from]
	if t.Served != named.Served || t.Resolved != named.Resolved || before.css == end.css {
		return false
	}
	if kind, _ := dtcg.KindOf(t.Resolved); !isOneLine(kind) {
		return false
	}
	declaration := v.css[before.css:end.css]
	v.css = append(append(v.css, declaration[:lineIndent]...), name...)
	v.css = append(v.css, declaration[bytes.IndexByte(declaration, ':'):]...)
	v.values = append(v.values, v.values[before.values:end.values]...)
	return true
}

// sameShape reports whether a token that becomes these declarations, and a primitive or none, is in the
// same files as before and declares the same names, which no other token does.
func (c *CompiledTheme) sameShape(token int32, declarations []byte, primitive bool) bool {
	return primitive == (c.files[TokensValuesJSON].stops[token] > 0) &&
		(c.contested == nil || !c.contested[token]) &&
		sameNames(declarations, c.declarations(token))
}

// sameNames reports whether two texts declare the same names in the same order, if any.
func sameNames(a, b []byte) bool {
	for len(a) > 0 && len(b) > 0 {
		colon := bytes.IndexByte(a, ':') + 1
		if len(b) < colon || string(a[:colon]) != string(b[:colon]) {
			return false
		}
		a, b = a[bytes.IndexByte(a, '\n')+1:], b[bytes.IndexByte(b, '\n')+1:]
	}
	return len(a) == len(b)
}

// declarations returns what tokens.css has of a token of the Theme.
func (c *CompiledTheme) declarations(token int32) []byte {
	from, to := c.files[TokensCSS].piece(token)
	if int(token) == len(c.doc.Tokens)-1 {
		to -= int32(len(stylesheetTail))
	}
	return c.files[TokensCSS].text[from:to]
}

// roomLeft returns how much longer each file may become without coming near MaxFileBytes. While it is
// rendered a file is longer than in the end by no more than the names of groups that are taken back.
func (c *CompiledTheme) roomLeft() int {
	length := 0
	for f := range c.files {
		length = max(length, len(c.files[f].text))
	}
	return MaxFileBytes - closing - length - 2*len(c.files[TokensDTCGJSON].text)
}

// longest bounds how much longer a token with declarations of this length makes any file. Of a list of
// short colours tokens.values.json is about four times as long.
func longest(t *dtcg.Token, declared int) int {
	length := 8*declared + len(t.Resolved) + aroundToken
	if t.Served != nil {
		length += 2 * jsontree.Length(t.Served)
	}
	if t.Overridden {
		length += jsontree.Length(t.Value)
	}
	return length
}

// endsBefore returns where the texts of token k of the delta begin.
func (v *change) endsBefore(k int) changeEnds {
	if k == 0 {
		return changeEnds{}
	}
	return v.ends[k-1]
}

// diagnostics is Set.Diagnostics.
func (v *change) diagnostics() []dtcg.Diagnostic {
	all := append([]dtcg.Diagnostic(nil), v.delta.Reports...)
	for i := range v.of.diagnostics {
		if !v.delta.Reaches(v.of.diagnostics[i].Path) {
			all = append(all, v.of.diagnostics[i])
		}
	}
	all = append(append(all, v.delta.Found...), v.misfits...)
	v.of.doc.Sort(all)
	return all
}

// overlay is CompiledTheme.Overlay, which is made from the pieces of the tokens that are reached.
func (v *change) overlay(f File) []byte {
	file := &v.of.files[f]
	var changes plan.Changes
	changes.Grow(len(v.delta.At))
	var after []byte
	for k, i := range v.delta.At {
		from, to := file.piece(i)
		own := file.text[from:to]
		if after = v.appendPiece(after[:0], f, k, own); len(after) > 0 {
			changes.Replace(int(from), own, after)
		}
	}
	return changes.Append(nil, v.of.plans[f])
}

// appendPiece appends what the piece own of token k of the delta becomes, or nothing if it stays.
func (v *change) appendPiece(dst []byte, f File, k int, own []byte) []byte {
	i, t := v.delta.At[k], &v.delta.Tokens[k]
	if f == TokensCSS {
		dst = append(dst, v.css[v.endsBefore(k).css:v.ends[k].css]...)
		return append(dst, own[len(v.of.declarations(i)):]...)
	}
	file := &v.of.files[f]
	if file.stops[i] == 0 || f == TokensDTCGJSON && !t.Overridden {
		return dst
	}
	switch f {
	case TokensValuesJSON:
		dst = append(dst, v.values[v.endsBefore(k).values:v.ends[k].values]...)
	case TokensDTCGJSON:
		dst = appendOverridden(dst, t)
	case TokensJSON:
		w := walker{}
		dst = w.appendResolved(dst, t)
	case TokensFlatJSON:
		if own[0] == ',' {
			dst = append(dst, ',')
		}
		dst = appendServedValue(append(jsontree.AppendString(dst, t.Path), ':'), t)
	}
	return append(dst, own[file.stops[i]-file.ends[i]:]...)
}

// append is Set.Append: the file of the Theme with what the Variant changes in it.
func (v *change) append(dst []byte, f File) []byte {
	o, err := plan.OpenOverlay(v.of.plans[f], v.overlay(f))
	if err != nil {
		panic("renderer: an overlay that was compiled does not open")
	}
	return o.Append(dst)
}
