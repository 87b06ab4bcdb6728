package css

import "example.com/livery/renderer/jsontree"

// part is one member of a composite value.
type part struct {
	name      string    // as DTCG spells it, and misfits do
	otherName string    // as some tools spell it, "" for none
	quantity  *quantity // what the part is; nil if kind tells
	kind      Kind
	optional  bool   // the part may be missing
	fallback  string // what is written for a missing part, "" for nothing
	separator string // what goes before the part unless it is the first, "" for a blank
	shorthand bool   // the part is one of fontParts
}

// find returns the member of v that the part is, or nil.
func (p *part) find(v *jsontree.Node) *jsontree.Node {
	found := v.Find(p.name)
	if found == nil && p.otherName != "" {
		found = v.Find(p.otherName)
	}
	return found
}

// appendParts appends the parts of the object v in the order of CSS. The misfit names every part that does not fit.
func appendParts(dst []byte, v *jsontree.Node, parts []part, f *form) ([]byte, *Misfit) {
	start := len(dst)
	var all *Misfit
	for i := range parts {
		p := &parts[i]
		found := p.find(v)
		if found == nil && p.optional && p.fallback == "" {
			continue
		}
		dst = p.appendSeparator(dst, start)
		if found == nil && p.optional {
			dst = append(dst, p.fallback...)
			continue
		}
		var misfit *Misfit
		from := len(dst)
		if dst, misfit = p.append(dst, found, f); misfit != nil {
			all = all.with(misfit)
			continue
		}
		if p.shorthand {
			f.font[i] = span{from, len(dst)}
		}
	}
	return dst, all
}

func (p *part) appendSeparator(dst []byte, start int) []byte {
	if len(dst) == start {
		return dst
	}
	if p.separator != "" {
		return append(dst, p.separator...)
	}
	return append(dst, ' ')
}

// append appends v as the part, or says of which part it is the misfit.
func (p *part) append(dst []byte, v *jsontree.Node, f *form) ([]byte, *Misfit) {
	if v == nil || v.Kind == jsontree.Null {
		return dst, &Misfit{What: p.name + " is missing"}
	}
	if s, ok := textOf(v); ok && isWide(s) {
		return dst, &Misfit{What: p.name + ": no keyword of this kind within a composite value"}
	}
	var misfit *Misfit
	from := len(dst)
	if p.quantity != nil {
		dst, misfit = appendQuantity(dst, p.quantity, v)
	} else {
		dst, misfit = appendKind(dst, p.kind, v, f)
	}
	if misfit != nil {
		misfit.What = p.name + ": " + misfit.What
		return dst, misfit
	}
	f.rewrites(p.resolvedKind(), v, dst[from:])
	return dst, nil
}

// unblank removes the blank that dst ends with.
func unblank(dst []byte) []byte {
	if n := len(dst); n > 0 && dst[n-1] == ' ' {
		return dst[:n-1]
	}
	return dst
}
