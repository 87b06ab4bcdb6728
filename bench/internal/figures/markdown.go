package figures

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// MarkdownTable spells lines as an aligned Markdown table; the first one is its head, and none has more
// cells. right reports which columns are aligned to the right; nil means none.
func MarkdownTable(lines [][]string, right func(column int) bool) string {
	if right == nil {
		right = func(int) bool { return false }
	}
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for n, line := range lines {
		appendLine(&b, line, widths, right)
		if n == 0 {
			appendRule(&b, widths, right)
		}
	}
	return b.String()
}

func appendLine(b *strings.Builder, line []string, widths []int, right func(int) bool) {
	for i, cell := range line {
		gap := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if right(i) {
			cell = gap + cell
		} else {
			cell += gap
		}
		b.WriteString("| " + cell + " ")
	}
	b.WriteString("|\n")
}

func appendRule(b *strings.Builder, widths []int, right func(int) bool) {
	for i, width := range widths {
		end := "-"
		if right(i) {
			end = ":"
		}
		b.WriteString("|" + strings.Repeat("-", width+1) + end)
	}
	b.WriteString("|\n")
}

// Grouped spells n with commas between thousands.
func Grouped(n int) string {
	s := strconv.Itoa(n)
	first := len(s) - len(strings.TrimPrefix(s, "-"))
	for i := len(s) - 3; i > first; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
