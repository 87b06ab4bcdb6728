package css

import "example.com/livery/renderer/jsontree"

// transitionParts are what a transition object has.
var transitionParts = []part{
	{name: "duration", quantity: &lapse},
	{name: "timingFunction", otherName: "easing", kind: CubicBezier, optional: true},
	{name: "delay", quantity: &duration, optional: true},
}

// appendTransition appends "duration timing delay". Easing and delay may be missing.
func appendTransition(dst []byte, v *jsontree.Node, f *form) ([]byte, *Misfit) {
	if s, ok := textOf(v); ok {
		return appendTransitionText(dst, s)
	}
	if v.Kind != jsontree.Object {
		return dst, &Misfit{What: "not a transition"}
	}
	return appendParts(dst, v, transitionParts, f)
}

// appendTransitionText appends the transitions that s spells, separated by commas.
func appendTransitionText(dst []byte, s string) ([]byte, *Misfit) {
	if lower(s) == "none" {
		return append(dst, "none"...), nil
	}
	if !safe(s) {
		return dst, misfitText(s, "not a transition")
	}
	for i, layer := range split(s, ',') {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		ok := false
		if dst, ok = appendTransitionLayer(dst, layer); !ok {
			return dst, &Misfit{What: "not a transition"}
		}
	}
	return dst, nil
}

// appendTransitionLayer appends a property, a duration, a delay and an easing, each at most once, at
// least the duration, in any order.
func appendTransitionLayer(dst []byte, s string) ([]byte, bool) {
	times, eased, named := 0, false, false
	for _, part := range split(s, ' ') {
		next, ok := dst, false
		if times == 0 {
			next, ok = lapse.try(dst, part)
		} else if times == 1 {
			next, ok = duration.try(dst, part)
		}
		switch {
		case ok:
			times++
		case !eased:
			next, ok = appendEasingText(dst, part)
			eased = ok
		}
		if !ok && !named && identEnd(part) == len(part) && !isWide(part) {
			next, ok, named = append(dst, part...), true, true
		}
		if !ok {
			return dst, false
		}
		dst = append(next, ' ')
	}
	return unblank(dst), times > 0
}
