package scan

import (
	"bytes"
	"slices"
)

// CanFix reports whether a name is unknown and one slip makes a token's name of it, and of that token's alone.
func (f *Finding) CanFix() bool { return f.Rule == Unknown && f.isSlip }

// Fix returns the text of a file with the names of its findings replaced by the nearest, and marks these as fixed. The
// findings are in order and can be fixed. It returns nil, and marks nothing, if the text is not the one that was read.
func Fix(text []byte, findings []*Finding) []byte {
	var fixed []byte
	done := 0
	for _, f := range findings {
		if f.offset < done || f.offset > len(text) || !bytes.HasPrefix(text[f.offset:], []byte(f.Name)) {
			return nil
		}
		fixed = append(append(fixed, text[done:f.offset]...), f.Nearest...)
		done = f.offset + len(f.Name)
	}
	for _, f := range findings {
		f.Fixed, f.Message = true, f.Name+" is "+f.Nearest+" now"
	}
	return slices.Concat(fixed, text[done:])
}
