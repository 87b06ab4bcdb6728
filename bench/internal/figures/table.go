package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ours is the subject to which the others are compared.
const ours = "livery"

// Table spells all figures as one Markdown table: a line for each name, point and unit, a column for each subject. Beside a figure
// of another subject stands how many times ours it is. The spread is left out; Write has it.
func (s *Set) Table() string {
	var subjects []string
	for _, f := range s.Figures {
		if !slices.Contains(subjects, f.Subject) {
			subjects = append(subjects, f.Subject)
		}
	}
	lines := [][]string{{"what", "unit"}}
	for _, subject := range subjects {
		lines[0] = append(lines[0], cmp.Or(subject, "measured"))
	}
	for _, row := range rows(s.Figures) {
		line := []string{row[0].Name, row[0].Unit}
		if row[0].Over != "" {
			line[0] += ", " + Grouped(int(row[0].At)) + " " + row[0].Over
		}
		base := row[max(0, slices.IndexFunc(row, func(f Figure) bool { return f.Subject == ours }))]
		for _, subject := range subjects {
			cell := ""
			if at := slices.IndexFunc(row, func(f Figure) bool { return f.Subject == subject }); at >= 0 {
				cell = Spell(row[at].Value)
				if base.Subject == ours && subject != ours && base.Value > 0 {
					cell += fmt.Sprintf(" (%s×)", Spell(row[at].Value/base.Value))
				}
			}
			line = append(line, cell)
		}
		lines = append(lines, line)
	}
	return MarkdownTable(lines, func(column int) bool { return column > 1 })
}

// rows returns the figures of one line together, in the order in which the lines come.
func rows(all []Figure) (rows [][]Figure) {
	at := map[Figure]int{}
	for _, f := range all {
		key := Figure{Name: f.Name, Unit: f.Unit, Over: f.Over, At: f.At}
		i, known := at[key]
		if !known {
			i = len(rows)
			at[key] = i
			rows = append(rows, nil)
		}
		rows[i] = append(rows[i], f)
	}
	return rows
}

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

// Spell writes a number with three digits that say something, and the thousands apart.
func Spell(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "-"
	}
	if math.Abs(v) >= 1000 {
		return Grouped(int(math.Round(v)))
	}
	text := strconv.FormatFloat(v, 'g', 3, 64)
	if strings.Contains(text, "e") { // "1e+03" and what is nearly nothing
		text = strconv.FormatFloat(v, 'f', -1, 64)
		if math.Abs(v) < 0.001 && v != 0 {
			text = strconv.FormatFloat(v, 'f', 6, 64)
		}
	}
	return text
}
