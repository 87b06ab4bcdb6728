package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"example.com/livery/cli/escape"
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
	return a.encode(v, "  ")
}

// encode prints v as JSON that a terminal shows as it is.
func (a *app) encode(v any, indent string) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	if err == nil {
		_, err = a.out.Write(escape.JSON(text.Bytes()))
	}
	return err
}

// shown is text that a terminal may get as it is: what others wrote is escaped in it, and its sequences are ours.
type shown string

// display returns v as it may be printed: all but numbers and what is shown already is escaped.
func display(v any) any {
	switch v := v.(type) {
	case shown, bool, int, int64, uint32, uint64:
		return v
	case error:
		return escape.Line(v.Error())
	}
	return escape.Text(fmt.Sprint(v))
}

// cell returns a text or a shown text for a place in a line.
func cell(v any) shown { return shown(fmt.Sprint(display(v))) }

// print writes a line to w; texts among the arguments are escaped unless they are shown.
func (a *app) print(w io.Writer, format string, args ...any) {
	safe := make([]any, len(args))
	for i, arg := range args {
		safe[i] = display(arg)
	}
	fmt.Fprintf(w, format+"\n", safe...)
}

// say prints a line for people; it is silent under --json.
func (a *app) say(format string, args ...any) {
	if !a.json {
		a.print(a.out, format, args...)
	}
}

// warn prints a line for people beside what the command prints.
func (a *app) warn(format string, args ...any) { a.print(a.err, format, args...) }

// prompt asks a question that is answered with yes or no, and stays on its line.
func (a *app) prompt(question string) { fmt.Fprintf(a.err, "%s [y/N] ", cell(question)) }

// table prints rows with aligned columns below a head.
type table struct {
	head []string
	rows [][]shown
}

// add adds a row of texts, which are escaped unless they are shown.
func (t *table) add(cells ...any) { t.rows = append(t.rows, cellsOf(cells)) }

func cellsOf[T any](values []T) []shown {
	cells := make([]shown, len(values))
	for i, v := range values {
		cells[i] = cell(v)
	}
	return cells
}

// lines returns the head and the rows with aligned columns.
func (t *table) lines() []shown {
	all := append([][]shown{cellsOf(t.head)}, t.rows...)
	widths := make([]int, len(t.head))
	for _, row := range all {
		for i, cell := range row {
			widths[i] = max(widths[i], width(cell))
		}
	}
	lines := make([]shown, len(all))
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
		a.print(a.out, "%s", line)
	}
}

func alignRow(row []shown, widths []int) shown {
	var b strings.Builder
	for i, cell := range row {
		b.WriteString(string(cell))
		if i < len(row)-1 {
			b.WriteString(strings.Repeat(" ", widths[i]-width(cell)+2))
		}
	}
	return shown(strings.TrimRight(b.String(), " "))
}

// width counts the runes of a cell without its terminal sequences.
func width(text shown) int {
	cell := string(text)
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

// styled puts a text between a terminal style and its end; elsewhere it is only escaped. One that is shown stays so.
func (a *app) styled(style string, text any) shown {
	if !a.terminal {
		return cell(text)
	}
	return "\x1b[" + shown(style) + "m" + cell(text) + "\x1b[0m"
}

// swatch returns two cells in a colour "#rrggbb", or nothing where there is no terminal.
func (a *app) swatch(hex string) shown {
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

// pairs prints names with their values, aligned, skipping the empty ones. A value is escaped unless it is shown.
func (a *app) pairs(w io.Writer, list ...any) {
	cells, longest := cellsOf(list), 0
	for i := 0; i < len(cells); i += 2 {
		longest = max(longest, width(cells[i]))
	}
	for i := 0; i < len(cells); i += 2 {
		if cells[i+1] != "" {
			gap := shown(strings.Repeat(" ", longest-width(cells[i])))
			a.print(w, "%s%s  %s", a.styled("2", cells[i]), gap, cells[i+1])
		}
	}
}
