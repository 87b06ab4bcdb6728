package figures

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// ours is the subject to which the others are compared.
const ours = "livery"

// Markdown spells all figures as tables: those of one subject as a list, those of several side by side, growths with a
// column for each point. chart returns what stands before the table of a growth; nil means nothing.
func (s *Set) Markdown(chart func(growth []Figure) string) string {
	var b strings.Builder
	var alone []Figure
	for _, group := range Groups(s.Figures, func(f Figure) string { return f.Over + "\x00" + f.Unit }) {
		switch {
		case group[0].Over != "":
			b.WriteString(growthTable(group, chart))
		case len(subjects(group)) > 1:
			b.WriteString(besideTable(group))
		default:
			alone = append(alone, group...)
		}
	}
	if len(alone) > 0 {
		b.WriteString(listTable(alone))
	}
	return b.String()
}

// Groups returns figures that share a key together, in the order in which the keys come.
func Groups(all []Figure, key func(Figure) string) (groups [][]Figure) {
	at := map[string]int{}
	for _, f := range all {
		k := key(f)
		i, known := at[k]
		if !known {
			i = len(groups)
			at[k] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], f)
	}
	return groups
}

func subjects(group []Figure) (names []string) {
	for _, f := range group {
		if !slices.Contains(names, f.Subject) {
			names = append(names, f.Subject)
		}
	}
	return names
}

// Names returns the names of figures, each once.
func Names(group []Figure) (list []string) {
	for _, f := range group {
		if !slices.Contains(list, f.Name) {
			list = append(list, f.Name)
		}
	}
	return list
}

// listTable is a line for each figure.
func listTable(group []Figure) string {
	lines := [][]string{{"what", "", "a quarter below", "a quarter above", "unit"}}
	for _, f := range group {
		low, high := Spell(f.Low), Spell(f.High)
		if f.Low == f.High {
			low, high = "", ""
		}
		what := f.Name
		if f.Subject != "" {
			what += ", " + f.Subject
		}
		lines = append(lines, []string{what, Spell(f.Value), low, high, f.Unit})
	}
	return MarkdownTable(lines, func(column int) bool { return column >= 1 && column <= 3 }) + "\n"
}

// besideTable has a column for each subject: the figure, its spread, and how many times ours it is.
func besideTable(group []Figure) string {
	all := subjects(group)
	lines := [][]string{append([]string{group[0].Unit}, all...)}
	for _, name := range Names(group) {
		line := []string{name}
		base, compared := find(group, name, ours)
		for _, s := range all {
			f, ok := find(group, name, s)
			switch {
			case !ok:
				line = append(line, "")
			case compared && s != ours && base.Value > 0:
				line = append(line, fmt.Sprintf("%s, %s×", spread(f), Spell(f.Value/base.Value)))
			default:
				line = append(line, spread(f))
			}
		}
		lines = append(lines, line)
	}
	return MarkdownTable(lines, func(column int) bool { return column > 0 && column <= len(all) }) + "\n"
}

func find(group []Figure, name, subject string) (Figure, bool) {
	for _, f := range group {
		if f.Name == name && f.Subject == subject {
			return f, true
		}
	}
	return Figure{}, false
}

// growthTable has a column for each point, and the plot of the same figures before it.
func growthTable(group []Figure, chart func([]Figure) string) string {
	var points []float64
	for _, f := range group {
		if !slices.Contains(points, f.At) {
			points = append(points, f.At)
		}
	}
	slices.Sort(points)
	head := []string{group[0].Unit}
	for _, at := range points {
		head = append(head, Grouped(int(at))+" "+group[0].Over)
	}
	lines := [][]string{head}
	for _, row := range Groups(group, func(f Figure) string { return f.Name + "\x00" + f.Subject }) {
		line := []string{CurveName(row[0])}
		for _, at := range points {
			cell := ""
			for _, f := range row {
				if f.At == at {
					cell = spread(f)
				}
			}
			line = append(line, cell)
		}
		lines = append(lines, line)
	}
	text := MarkdownTable(lines, func(column int) bool { return column > 0 && column <= len(points) }) + "\n"
	if chart != nil {
		text = chart(group) + text
	}
	return text
}

// CurveName is the name and the subject.
func CurveName(f Figure) string {
	if f.Subject == "" {
		return f.Name
	}
	return f.Name + ", " + f.Subject
}

// spread spells a figure with the quarters around it, if there are any.
func spread(f Figure) string {
	if f.Low == f.High {
		return Spell(f.Value)
	}
	return fmt.Sprintf("%s (%s to %s)", Spell(f.Value), Spell(f.Low), Spell(f.High))
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
