package css

import "example.com/livery/renderer/jsontree"

// FitsKind reports whether v has a JSON kind that k can hold at all; null fits nothing. A string
// fits most kinds, whatever it says: whether the grammar knows it is what Append tells. For a
// number the string must be one, or an expression of numbers.
func FitsKind(k Kind, v *jsontree.Node) bool {
	if v == nil || v.Kind == jsontree.Null {
		return false
	}
	isString, isNumber, isArray := v.Kind == jsontree.String, v.Kind == jsontree.Number, v.Kind == jsontree.Array
	switch k {
	case Color:
		return isString || v.Find("colorSpace") != nil
	case Dimension, Duration, NumberOrDimension:
		return isString || isNumber || v.Find("value") != nil && v.Find("unit") != nil
	case Number:
		return isNumber || isString && number.takesNode(v)
	case FontFamily:
		return isString || isArray && allStrings(v.Items())
	case FontWeight, String:
		return isString || isNumber
	case CubicBezier:
		return isString || isArray && len(v.Items()) == 4
	case StrokeStyle, Border, Transition, Typography:
		return isString || v.IsObject()
	case Shadow:
		return isString || isArray || v.IsObject()
	case Gradient:
		return isString || isArray
	case Boolean:
		return v.Kind == jsontree.Bool
	default:
		return isString || isNumber || v.Kind == jsontree.Bool
	}
}

func (q *quantity) takesNode(v *jsontree.Node) bool {
	s, ok := textOf(v)
	return ok && q.takes(s)
}

func allStrings(items []*jsontree.Node) bool {
	for _, item := range items {
		if !item.IsString() {
			return false
		}
	}
	return len(items) > 0
}
