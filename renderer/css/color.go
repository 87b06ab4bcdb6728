package css

import "example.com/livery/renderer/jsontree"

// appendColor appends a colour: of an object as its space is written in CSS, of a string as it
// stands if it is one safe CSS colour. In sRGB form whatever can be computed is converted.
func appendColor(dst []byte, v *jsontree.Node, f *form) ([]byte, *Misfit) {
	switch v.Kind {
	case jsontree.String:
		s, _ := textOf(v)
		return appendColorText(dst, s, f)
	case jsontree.Object:
		c, misfit := readColor(v)
		if misfit != nil {
			return dst, misfit
		}
		if f.inSRGB {
			return appendSRGB(dst, c.fallback(v), c.alpha), nil
		}
		f.differs = f.differs || c.space != spaceSRGB || c.missing()
		return appendAuthored(dst, &c), nil
	}
	return dst, &Misfit{What: "not a colour"}
}

// appendPlainColor appends a colour in sRGB, or nothing if only a browser can tell what it is.
func appendPlainColor(dst []byte, v *jsontree.Node) ([]byte, *Misfit) {
	s, isText := textOf(v)
	if !isText {
		return appendColor(dst, v, &form{inSRGB: true})
	}
	c, reading := readColorText(s)
	switch reading {
	case noColorText:
		return dst, misfitText(s, "not a colour")
	case liveText:
		return dst, &Misfit{What: "only a browser can compute this colour"}
	}
	return appendSRGB(dst, c.bytes(), c.alpha), nil
}

// appendColorText appends the colour that s spells.
func appendColorText(dst []byte, s string, f *form) ([]byte, *Misfit) {
	c, reading := readColorText(s)
	switch {
	case reading == noColorText:
		return dst, misfitText(s, "not a colour")
	case reading == liveText, reading == colorText && !f.inSRGB:
		f.differs = f.differs || !isPlainHex(s)
		return append(dst, s...), nil
	}
	return appendSRGB(dst, c.bytes(), c.alpha), nil
}

// isPlainHex reports whether the colour s is written as appendSRGB writes it, opaque.
func isPlainHex(s string) bool {
	if len(s) != len("#rrggbb") || s[0] != '#' {
		return false
	}
	for i := 1; i < len(s); i++ {
		if s[i] >= 'A' && s[i] <= 'F' {
			return false
		}
	}
	return true
}

// readColor reads a colour object; its components may be numbers, strings of one, or "none". Where
// they are missing, the hex member stands for them.
func readColor(v *jsontree.Node) (colour, *Misfit) {
	c := colour{alpha: 1}
	name, _ := textOf(v.Find("colorSpace"))
	known := false
	if c.space, known = spaceByName(lower(name)); !known {
		return c, &Misfit{What: "not a colour space of DTCG 2025.10"}
	}
	if !c.readComponents(v) {
		rgb, ok := readHex(v)
		if !ok {
			return c, &Misfit{What: "a colour has three components, each a number or \"none\""}
		}
		c = fromRGB(rgb)
	}
	if alpha := v.Find("alpha"); alpha != nil && !c.readAlpha(alpha) {
		return c, &Misfit{What: "an alpha is a number from 0 to 1"}
	}
	return c, nil
}

func (c *colour) readComponents(v *jsontree.Node) bool {
	list := v.Find("components")
	if list == nil {
		list = v.Find("channels") // as earlier drafts spelled it
	}
	if list == nil || list.Kind != jsontree.Array || len(list.Items()) != len(c.c) {
		return false
	}
	for i, item := range list.Items() {
		f, none, ok := readComponent(item)
		if !ok {
			return false
		}
		c.c[i], c.none[i] = f, none
	}
	return true
}

func readComponent(v *jsontree.Node) (f float64, none, ok bool) {
	if v.Kind == jsontree.Number { // as nearly all
		f, ok = parseFloat(v.Text)
		return f, false, ok
	}
	if s, isText := textOf(v); isText && lower(s) == "none" {
		return 0, true, true
	}
	f, ok = floatOf(v)
	return f, false, ok
}

func (c *colour) readAlpha(v *jsontree.Node) bool {
	f, none, ok := readComponent(v)
	c.alpha, c.none[3] = f, none
	return ok && f >= 0 && f <= 1
}

// fallback returns the 8-bit sRGB of a colour object: the author's own hex for a space that sRGB
// has to be computed from, else the components'.
func (c *colour) fallback(v *jsontree.Node) [3]uint8 {
	if c.space != spaceSRGB {
		if rgb, ok := readHex(v); ok {
			return rgb
		}
	}
	return c.bytes()
}

// readHex reads the hex member of a colour object.
func readHex(v *jsontree.Node) (rgb [3]uint8, ok bool) {
	s, ok := textOf(v.Find("hex"))
	if !ok {
		return rgb, false
	}
	rgba, ok := readHexText(s)
	return [3]uint8(rgba[:3]), ok
}

// fromRGB returns an opaque colour of 8-bit sRGB.
func fromRGB(rgb [3]uint8) colour {
	c := colour{alpha: 1}
	for i, b := range rgb {
		c.c[i] = float64(b) / 255
	}
	return c
}
