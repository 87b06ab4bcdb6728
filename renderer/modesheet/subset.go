package modesheet

// subset is a set of dimensions, a bit each.
type subset uint

func (s subset) has(dimension int) bool { return s>>dimension&1 != 0 }

// key is a choice as the key of a map.
func key(choice []int) string {
	b := make([]byte, len(choice))
	for i, mode := range choice {
		b[i] = byte(mode + 1)
	}
	return string(b)
}
