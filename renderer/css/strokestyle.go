package css

import "example.com/livery/renderer/jsontree"

// strokeStyles are the line styles of CSS.
const strokeStyles = " dashed dotted double groove hidden inset none outset ridge solid "

// appendStrokeStyle appends a line style. CSS has no dash patterns: an object is dashed.
func appendStrokeStyle(dst []byte, v *jsontree.Node) ([]byte, *Misfit) {
	if v.Kind == jsontree.Object {
		if dashes := v.Find("dashArray"); dashes == nil || dashes.Kind != jsontree.Array {
			return dst, &Misfit{What: "a stroke style object has a dashArray"}
		}
		return append(dst, "dashed"...), nil
	}
	s, _ := textOf(v)
	if s == "solid" { // as most are
		return append(dst, s...), nil
	}
	if word := lower(s); listed(strokeStyles, word) {
		return append(dst, word...), nil
	}
	return dst, misfitText(s, "not a stroke style")
}
