package term

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"example.com/livery/cli/escape"
)

// JSONFlag gives a command that prints data the flag --json.
func (a *App) JSONFlag(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().BoolVar(&a.JSON, "json", false, "print JSON")
	return cmd
}

// Show prints v as JSON if --json asks for it, and otherwise calls text.
func (a *App) Show(v any, text func()) error {
	if !a.JSON {
		text()
		return nil
	}
	return a.Encode(v, "  ")
}

// Encode prints v as JSON that a terminal shows as it is.
func (a *App) Encode(v any, indent string) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	if err == nil {
		_, err = a.Out.Write(escape.JSON(text.Bytes()))
	}
	return err
}

// Escaped is text that a terminal may get as it is: what others wrote is escaped in it, and its sequences are ours.
type Escaped string

// escaped returns v as it may be printed: all but numbers and what is shown already is escaped.
func escaped(v any) any {
	switch v := v.(type) {
	case Escaped, bool, int, int64, uint32, uint64:
		return v
	case error:
		return escape.Line(v.Error())
	}
	return escape.Text(fmt.Sprint(v))
}

// Cell returns a text or a shown text for a place in a line.
func Cell(v any) Escaped { return Escaped(fmt.Sprint(escaped(v))) }

// print writes a line to w; texts among the arguments are escaped unless they are shown.
func (a *App) print(w io.Writer, format string, args ...any) {
	safe := make([]any, len(args))
	for i, arg := range args {
		safe[i] = escaped(arg)
	}
	fmt.Fprintf(w, format+"\n", safe...)
}

// Say prints a line for people; it is silent under --json.
func (a *App) Say(format string, args ...any) {
	if !a.JSON {
		a.print(a.Out, format, args...)
	}
}

// Warn prints a line for people beside what the command prints.
func (a *App) Warn(format string, args ...any) { a.print(a.Err, format, args...) }

// prompt asks a question that is answered with yes or no, and stays on its line.
func (a *App) prompt(question string) { fmt.Fprintf(a.Err, "%s [y/N] ", Cell(question)) }

// barWidth is the number of columns between the brackets of a bar.
const barWidth = 40

// drawBar draws the bar of some work over the one before.
func (a *App) drawBar(what string, percent, done, total int64) {
	full := int(percent * barWidth / 100)
	fmt.Fprintf(a.Err, "\r%s [%s%s] %d%% (%d of %d)\x1b[K", Cell(what), strings.Repeat("#", full), strings.Repeat(".", barWidth-full), percent, done, total)
}

// Table prints rows with aligned columns below a head.
type Table struct {
	Head []string
	rows [][]Escaped
}

// Add adds a row of texts, which are escaped unless they are shown.
func (t *Table) Add(cells ...any) { t.rows = append(t.rows, CellsOf(cells)) }

// CellsOf returns values as cells of a row.
func CellsOf[T any](values []T) []Escaped {
	cells := make([]Escaped, len(values))
	for i, v := range values {
		cells[i] = Cell(v)
	}
	return cells
}

// Lines returns the head and the rows with aligned columns.
func (t *Table) Lines() []Escaped {
	all := append([][]Escaped{CellsOf(t.Head)}, t.rows...)
	widths := make([]int, len(t.Head))
	for _, row := range all {
		for i, cell := range row {
			widths[i] = max(widths[i], Width(cell))
		}
	}
	lines := make([]Escaped, len(all))
	for i, row := range all {
		lines[i] = AlignRow(row, widths)
	}
	return lines
}

// PrintTable prints a table; its head is styled.
func (a *App) PrintTable(t Table) {
	for n, line := range t.Lines() {
		if n == 0 {
			line = a.Styled("2", line)
		}
		a.print(a.Out, "%s", line)
	}
}

// AlignRow pads the cells of a row to widths.
func AlignRow(row []Escaped, widths []int) Escaped {
	var b strings.Builder
	for i, cell := range row {
		b.WriteString(string(cell))
		if i < len(row)-1 {
			b.WriteString(strings.Repeat(" ", widths[i]-Width(cell)+2))
		}
	}
	return Escaped(strings.TrimRight(b.String(), " "))
}

// Width counts the runes of a cell without its terminal sequences.
func Width(text Escaped) int {
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

// Styled puts a text between a terminal style and its end; elsewhere it is only escaped. One that is shown stays so.
func (a *App) Styled(style string, text any) Escaped {
	if !a.Color {
		return Cell(text)
	}
	return "\x1b[" + Escaped(style) + "m" + Cell(text) + "\x1b[0m"
}

// Swatch returns two cells in a colour "#rrggbb", or nothing without a terminal.
func (a *App) Swatch(hex string) Escaped {
	if !a.Color {
		return ""
	}
	if len(hex) == 7 && hex[0] == '#' {
		if n, err := strconv.ParseUint(hex[1:], 16, 32); err == nil {
			return a.Styled(fmt.Sprintf("48;2;%d;%d;%d", n>>16, n>>8&0xff, n&0xff), "  ") + " "
		}
	}
	return "   "
}

// Version returns the number of a version, or "-" for nil.
func Version(n *int) string {
	if n == nil {
		return "-"
	}
	return strconv.Itoa(*n)
}

// Moment returns a time in UTC, or "-" for nil.
func Moment(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return t.UTC().Format(time.DateTime)
}

// Mark returns "yes" or "-".
func Mark(b bool) string {
	if b {
		return "yes"
	}
	return "-"
}

// Plural spells "1 token", "2 tokens".
func Plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + one + "s"
}

// Pairs prints names with their values, aligned, skipping the empty ones. A value is escaped unless it is shown.
func (a *App) Pairs(w io.Writer, list ...any) {
	cells, longest := CellsOf(list), 0
	for i := 0; i < len(cells); i += 2 {
		longest = max(longest, Width(cells[i]))
	}
	for i := 0; i < len(cells); i += 2 {
		if cells[i+1] != "" {
			gap := Escaped(strings.Repeat(" ", longest-Width(cells[i])))
			a.print(w, "%s%s  %s", a.Styled("2", cells[i]), gap, cells[i+1])
		}
	}
}

// ReadSecret asks for a line on the terminal that a.in is, without showing what is typed.
func (a *App) ReadSecret(question string) (string, error) {
	fmt.Fprintf(a.Err, "%s", Cell(question))
	typed, err := term.ReadPassword(int(a.In.(*os.File).Fd()))
	fmt.Fprintln(a.Err)
	return string(typed), err
}
