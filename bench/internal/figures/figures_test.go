package figures

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"
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
	got := withoutOutput([]string{"-rounds", "3", "-json", "a.json", "--json=b.json", "-page", "a.md", "-only", "304"})
	if want := []string{"-rounds", "3", "-only", "304"}; !reflect.DeepEqual(got, want) {
		t.Errorf("withoutOutput = %q, want %q", got, want)
	}
}

func TestWrite(t *testing.T) {
	s := &Set{Command: "bin/bench x"}
	s.AddRounds(Figure{Name: "a", Subject: "nginx", Unit: "µs"}, []float64{1, 2, 3})
	s.AddRounds(Figure{Name: "nothing"}, nil)
	s.AddOne(Figure{Name: "b", Unit: "bytes", Over: "tokens", At: 10}, 4)
	s.Note("%s is not installed", "h2o")
	path := filepath.Join(t.TempDir(), "figures.json")
	if err := s.Write(path); err != nil {
		t.Fatal(err)
	}
	var got Set
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &got)
	}
	if err != nil || !reflect.DeepEqual(&got, s) {
		t.Errorf("Write wrote %+v, %v, want %+v", got, err, s)
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

// Times are reported by quantiles, the median with the quarters around it, and stay in their order.
func TestTimesAreRanked(t *testing.T) {
	var times Times
	for i := 100; i > 0; i-- {
		times = append(times, time.Duration(i)*time.Millisecond)
	}
	var s Set
	s.AddTimes(Figure{Name: "a"}, times, 0.5, 0.99, 0.999, 1)
	s.AddTimes(Figure{Name: "a", Unit: " from due, ms"}, times[:1], 0.5)
	s.AddTimes(Figure{Name: "nothing"}, nil, 0.5)
	want := []Figure{
		{Name: "a", Unit: "p50, ms", Value: 50, Low: 25, High: 75},
		{Name: "a", Unit: "p99, ms", Value: 99, Low: 99, High: 99},
		{Name: "a", Unit: "p999, ms", Value: 99, Low: 99, High: 99},
		{Name: "a", Unit: "worst, ms", Value: 100, Low: 100, High: 100},
		{Name: "a", Unit: "p50 from due, ms", Value: 100, Low: 100, High: 100},
	}
	if !reflect.DeepEqual(s.Figures, want) || times[0] != 100*time.Millisecond {
		t.Errorf("figures = %+v, want %+v", s.Figures, want)
	}
}

// Subjects stand side by side and are compared with ours; a growth has a line for each point.
func TestTableComparesSubjects(t *testing.T) {
	var s Set
	s.AddRounds(Figure{Name: "hit", Subject: "livery", Unit: "µs"}, []float64{8, 10, 12})
	s.AddOne(Figure{Name: "open", Unit: "ms", Over: "pairs", At: 100_000}, 3)
	s.AddOne(Figure{Name: "hit", Subject: "nginx", Unit: "µs"}, 16)
	want := "| what                | unit | livery | measured |     nginx |\n|---------------------|------|-------:|---------:|----------:|\n" +
		"| hit                 | µs   |     10 |          | 16 (1.6×) |\n| open, 100,000 pairs | ms   |        |        3 |           |\n"
	if got := s.Table(); got != want {
		t.Errorf("Table =\n%s, want\n%s", got, want)
	}
}

func TestNumbersAreReadable(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 1234567.8: "1,234,568", 999.6: "999.6", 12.345: "12.3", 0.05: "0.05", 0.00001234: "0.000012", 1: "1", 0.9512: "0.951"} {
		if got := Spell(v); got != want {
			t.Errorf("Spell(%v) = %q, want %q", v, got, want)
		}
	}
}
