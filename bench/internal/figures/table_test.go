package figures

import (
	"testing"
)

func TestMarkdownTableIsAligned(t *testing.T) {
	lines := [][]string{{"what", "µs"}, {"a", "1"}, {"longer", "1,000"}}
	want := "| what   |    µs |\n|--------|------:|\n| a      |     1 |\n| longer | 1,000 |\n"
	if got := MarkdownTable(lines, func(column int) bool { return column == 1 }); got != want {
		t.Errorf("MarkdownTable =\n%swant\n%s", got, want)
	}
	want = "| what   | µs    |\n|--------|-------|\n| a      | 1     |\n| longer | 1,000 |\n"
	if got := MarkdownTable(lines, nil); got != want {
		t.Errorf("MarkdownTable =\n%swant\n%s", got, want)
	}
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -999: "-999", -1000: "-1,000", -123456: "-123,456"} {
		if got := Grouped(n); got != want {
			t.Errorf("Grouped(%d) = %q, want %q", n, got, want)
		}
	}
}
