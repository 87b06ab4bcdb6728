package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.com/livery/bench/figures"
	"example.com/livery/bench/markdown"
)

// ours is the subject to which the others are compared.
const ours = "livery"

// tables spells all figures of a part: those of one subject as a list, those of several side by side,
// growths with a column for each point.
func tables(name string, set *figures.Set) string {
	var b strings.Builder
	var alone []figures.Figure
	for _, group := range grouped(set.Figures, func(f figures.Figure) string { return f.Over + "\x00" + f.Unit }) {
		switch {
		case group[0].Over != "":
			b.WriteString(growthTable(name, group))
		case len(subjects(group)) > 1:
			b.WriteString(besideTable(name, group))
		default:
			alone = append(alone, group...)
		}
	}
	if len(alone) > 0 {
		b.WriteString(listTable(name, alone))
	}
	return b.String()
}

// grouped returns figures that share a key together, in the order in which the keys come.
func grouped(all []figures.Figure, key func(figures.Figure) string) (groups [][]figures.Figure) {
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

func subjects(group []figures.Figure) (names []string) {
	for _, f := range group {
		if !slices.Contains(names, f.Subject) {
			names = append(names, f.Subject)
		}
	}
	return names
}

func names(group []figures.Figure) (list []string) {
	for _, f := range group {
		if !slices.Contains(list, f.Name) {
			list = append(list, f.Name)
		}
	}
	return list
}

// listTable is a line for each figure.
func listTable(part string, group []figures.Figure) string {
	lines := [][]string{{"what", "", "a quarter below", "a quarter above", "unit", "by"}}
	for _, f := range group {
		low, high := spell(f.Low), spell(f.High)
		if f.Low == f.High {
			low, high = "", ""
		}
		what := f.Name
		if f.Subject != "" {
			what += ", " + f.Subject
		}
		lines = append(lines, []string{what, spell(f.Value), low, high, f.Unit, link(part)})
	}
	return markdown.Table(lines, func(column int) bool { return column >= 1 && column <= 3 }) + "\n"
}

// besideTable has a column for each subject: the figure, its spread, and how many times ours it is.
func besideTable(part string, group []figures.Figure) string {
	all := subjects(group)
	lines := [][]string{append(append([]string{group[0].Unit}, all...), "by")}
	for _, name := range names(group) {
		line := []string{name}
		base, compared := find(group, name, ours)
		for _, s := range all {
			f, ok := find(group, name, s)
			switch {
			case !ok:
				line = append(line, "")
			case compared && s != ours && base.Value > 0:
				line = append(line, fmt.Sprintf("%s, %s×", spread(f), spell(f.Value/base.Value)))
			default:
				line = append(line, spread(f))
			}
		}
		lines = append(lines, append(line, link(part)))
	}
	return markdown.Table(lines, func(column int) bool { return column > 0 && column <= len(all) }) + "\n"
}

func find(group []figures.Figure, name, subject string) (figures.Figure, bool) {
	for _, f := range group {
		if f.Name == name && f.Subject == subject {
			return f, true
		}
	}
	return figures.Figure{}, false
}

// growthTable has a column for each point, and the plot of the same figures before it.
func growthTable(part string, group []figures.Figure) string {
	var points []float64
	for _, f := range group {
		if !slices.Contains(points, f.At) {
			points = append(points, f.At)
		}
	}
	slices.Sort(points)
	head := []string{group[0].Unit}
	for _, at := range points {
		head = append(head, markdown.Grouped(int(at))+" "+group[0].Over)
	}
	lines := [][]string{append(head, "by")}
	for _, row := range grouped(group, func(f figures.Figure) string { return f.Name + "\x00" + f.Subject }) {
		line := []string{curveName(row[0])}
		for _, at := range points {
			cell := ""
			for _, f := range row {
				if f.At == at {
					cell = spread(f)
				}
			}
			line = append(line, cell)
		}
		lines = append(lines, append(line, link(part)))
	}
	text := markdown.Table(lines, func(column int) bool { return column > 0 && column <= len(points) }) + "\n"
	if c, ok := chartOf(part, group); ok {
		text = fmt.Sprintf("![%s](%s)\n\n%s", c.chart.Title, c.file, text)
	}
	return text
}

func curveName(f figures.Figure) string {
	if f.Subject == "" {
		return f.Name
	}
	return f.Name + ", " + f.Subject
}

// spread spells a figure with the quarters around it, where there are any.
func spread(f figures.Figure) string {
	if f.Low == f.High {
		return spell(f.Value)
	}
	return fmt.Sprintf("%s (%s to %s)", spell(f.Value), spell(f.Low), spell(f.High))
}

// spell writes a number with three digits that say something, and the thousands apart.
func spell(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "-"
	}
	if math.Abs(v) >= 1000 {
		return markdown.Grouped(int(math.Round(v)))
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

// link leads to the command that measured.
func link(part string) string { return "[" + part + "](#by-" + part + ")" }
