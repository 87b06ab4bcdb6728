package term

// Grouped puts the items of one key together, in the order of the first of each.
func Grouped[T any, K comparable](list []T, key func(T) K) (groups [][]T) {
	place := map[K]int{}
	for _, item := range list {
		k := key(item)
		i, known := place[k]
		if !known {
			i, groups = len(groups), append(groups, nil)
			place[k] = i
		}
		groups[i] = append(groups[i], item)
	}
	return groups
}

// ShortList names the first few of a list.
func ShortList(all []string) string {
	const most = 8
	text := ""
	for i, s := range all {
		if i == most {
			return text + ", …"
		}
		if i > 0 {
			text += ", "
		}
		text += s
	}
	return text
}
