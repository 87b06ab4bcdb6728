package term

import (
	"bytes"
	"testing"
)

func TestNearest(t *testing.T) {
	all := []string{"sandbox", "staging", "production", "tidewater"}
	cases := map[string]string{"sandbx": "sandbox", "Staging": "staging", "prod": "", "tidewatre": "tidewater", "zzz": "", "": ""}
	for name, want := range cases {
		if got := Nearest(name, all); got != want {
			t.Errorf("nearest(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestTablesAlignWhatIsSeen(t *testing.T) {
	var out bytes.Buffer
	a := &App{Out: &out, terminal: true}
	rows := Table{Head: []string{"A", "B"}}
	rows.Add(a.Swatch("#0055aa")+"x", "1")
	rows.Add("längeres", "2")
	a.PrintTable(rows)
	want := "\x1b[2mA         B\x1b[0m\n\x1b[48;2;0;85;170m  \x1b[0m x      1\nlängeres  2\n"
	if out.String() != want {
		t.Errorf("printTable() = %q, want %q", out.String(), want)
	}
}
