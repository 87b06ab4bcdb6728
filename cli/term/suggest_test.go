package term

import (
	"bytes"
	"testing"
)

func TestTablesAlignWhatIsSeen(t *testing.T) {
	var out bytes.Buffer
	a := &App{Out: &out, Color: true}
	rows := Table{Head: []string{"A", "B"}}
	rows.Add(a.Swatch("#0055aa")+"x", "1")
	rows.Add("längeres", "2")
	a.PrintTable(rows)
	want := "\x1b[2mA         B\x1b[0m\n\x1b[48;2;0;85;170m  \x1b[0m x      1\nlängeres  2\n"
	if out.String() != want {
		t.Errorf("printTable() = %q, want %q", out.String(), want)
	}
}
