package term

import (
	"cmp"
	"maps"
	"slices"

	"example.com/livery/internal/spelling"
)

// Nearest returns the candidate that name is most likely a slip of, or "" if none is near.
func Nearest(name string, candidates []string) string { return spelling.Nearest(name, candidates) }

// Keys returns the keys of m in order.
func Keys[K cmp.Ordered, V any](m map[K]V) []K {
	return slices.Sorted(maps.Keys(m))
}
