package term

// Listed names the first few of many.
func Listed(all []string) string {
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
