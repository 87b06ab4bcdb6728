package figures

import (
	"path/filepath"
	"reflect"
	"testing"
)

func TestSpreadIsOfTheRounds(t *testing.T) {
	for _, tt := range []struct {
		rounds            []float64
		low, middle, high float64
	}{
		{nil, 0, 0, 0},
		{[]float64{7}, 7, 7, 7},
		{[]float64{2, 1}, 1, 2, 2},
		{[]float64{3, 1, 2}, 1, 2, 3},
		{[]float64{5, 1, 4, 2, 3}, 2, 3, 4},
		{[]float64{9, 8, 7, 6, 5, 4, 3, 2, 1}, 3, 5, 7},
	} {
		if low, middle, high := Spread(tt.rounds); low != tt.low || middle != tt.middle || high != tt.high {
			t.Errorf("Spread(%v) = %v, %v, %v, want %v, %v, %v", tt.rounds, low, middle, high, tt.low, tt.middle, tt.high)
		}
	}
}

func TestCommandKeepsWhatIsMeasured(t *testing.T) {
	got := withoutOutput([]string{"-rounds", "3", "-json", "a.json", "--json=b.json", "-only", "304"})
	if want := []string{"-rounds", "3", "-only", "304"}; !reflect.DeepEqual(got, want) {
		t.Errorf("withoutOutput = %q, want %q", got, want)
	}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	s := &Set{Command: "go run ./bench/x"}
	s.AddRounds(Figure{Name: "a", Subject: "nginx", Unit: "µs"}, []float64{1, 2, 3})
	s.AddRounds(Figure{Name: "nothing"}, nil)
	s.AddOne(Figure{Name: "b", Unit: "bytes", Over: "tokens", At: 10}, 4)
	s.Note("%s is not installed", "h2o")
	path := filepath.Join(t.TempDir(), "figures.json")
	if err := s.Write(path); err != nil {
		t.Fatal(err)
	}
	got, err := Read(path)
	if err != nil || !reflect.DeepEqual(got, s) {
		t.Errorf("Read = %+v, %v, want %+v", got, err, s)
	}
	if f, ok := got.Find("b", "", "bytes", 10); !ok || f.Value != 4 || f.Low != 4 || f.High != 4 || f.Command != s.Command {
		t.Errorf("Find = %+v, %v", f, ok)
	}
	if _, ok := got.Find("b", "nginx", "bytes", 10); ok {
		t.Error("Find finds the figure of another subject")
	}
	if err := s.Write(""); err != nil {
		t.Errorf("Write nowhere = %v", err)
	}
}

func TestTableShowsTheSpread(t *testing.T) {
	var s Set
	s.AddRounds(Figure{Name: "kill", Unit: "ms", Over: "Themes", At: 10000}, []float64{1, 2.34567, 3})
	want := "| what | Themes |       | a quarter below | a quarter above | unit |\n" +
		"|------|-------:|------:|----------------:|----------------:|------|\n" +
		"| kill | 10,000 | 2.346 |               1 |               3 | ms   |\n"
	if got := s.Table("Themes"); got != want {
		t.Errorf("Table =\n%s, want\n%s", got, want)
	}
}
