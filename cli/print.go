package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// printing gives a command that prints data the flag --json.
func (a *app) printing(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().BoolVar(&a.json, "json", false, "print JSON")
	return cmd
}

// show prints v as JSON where --json asks for it, and otherwise calls text.
func (a *app) show(v any, text func()) error {
	if !a.json {
		text()
		return nil
	}
	e := json.NewEncoder(a.out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// say prints a line for people; it is silent under --json.
func (a *app) say(format string, args ...any) {
	if !a.json {
		fmt.Fprintf(a.out, format+"\n", args...)
	}
}

// table prints rows with aligned columns below a head.
type table struct {
	head []string
	rows [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// lines returns the head and the rows with aligned columns.
func (t *table) lines() []string {
	all := append([][]string{t.head}, t.rows...)
	widths := make([]int, len(t.head))
	for _, row := range all {
		for i, cell := range row {
			widths[i] = max(widths[i], width(cell))
		}
	}
	lines := make([]string, len(all))
	for i, row := range all {
		lines[i] = alignRow(row, widths)
	}
	return lines
}

func (a *app) printTable(t table) {
	for n, line := range t.lines() {
		if n == 0 {
			line = a.styled("2", line)
		}
		fmt.Fprintln(a.out, line)
	}
}

func alignRow(row []string, widths []int) string {
	var b strings.Builder
	for i, cell := range row {
		b.WriteString(cell)
		if i < len(row)-1 {
			b.WriteString(strings.Repeat(" ", widths[i]-width(cell)+2))
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// width counts the runes of a cell without its terminal sequences.
func width(cell string) int {
	n := utf8.RuneCountInString(cell)
	for {
		_, rest, ok := strings.Cut(cell, "\x1b[")
		if !ok {
			return n
		}
		sequence, after, _ := strings.Cut(rest, "m")
		n -= utf8.RuneCountInString(sequence) + 3
		cell = after
	}
}

// styled puts text between a terminal style and its end; elsewhere it stays as it is.
func (a *app) styled(style, text string) string {
	if !a.terminal {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

// swatch returns two cells in a colour "#rrggbb", or nothing where there is no terminal.
func (a *app) swatch(hex string) string {
	if !a.terminal {
		return ""
	}
	if len(hex) == 7 && hex[0] == '#' {
		if n, err := strconv.ParseUint(hex[1:], 16, 32); err == nil {
			return a.styled(fmt.Sprintf("48;2;%d;%d;%d", n>>16, n>>8&0xff, n&0xff), "  ") + " "
		}
	}
	return "   "
}

func number(n *int) string {
	if n == nil {
		return "-"
	}
	return strconv.Itoa(*n)
}

func moment(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return t.UTC().Format(time.DateTime)
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "-"
}

// plural spells "1 token", "2 tokens".
func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + one + "s"
}

// pairs prints names with their values, aligned, skipping the empty ones.
func (a *app) pairs(w io.Writer, list ...string) {
	longest := 0
	for i := 0; i < len(list); i += 2 {
		longest = max(longest, utf8.RuneCountInString(list[i]))
	}
	for i := 0; i < len(list); i += 2 {
		if list[i+1] != "" {
			fmt.Fprintf(w, "%s%s  %s\n", a.styled("2", list[i]), strings.Repeat(" ", longest-utf8.RuneCountInString(list[i])), list[i+1])
		}
	}
}
