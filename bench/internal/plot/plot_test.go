package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

func points(pairs ...float64) (list []Point) {
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, Point{pairs[i], pairs[i+1], pairs[i+1], pairs[i+1]})
	}
	return list
}

func wellFormed(t *testing.T, drawn []byte) {
	t.Helper()
	for d := xml.NewDecoder(bytes.NewReader(drawn)); ; {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("the chart is no XML: %v\n%s", err, drawn)
		}
	}
}

// The ends of the axes are the ends of the plot, and a value in the middle lies in the middle.
func TestPointsLieWhereTheirValuesAre(t *testing.T) {
	linear := string(Chart{Curves: []Curve{{"a", points(0, 0, 5, 5, 10, 10)}}}.SVG())
	if want := `points="80.0,294.0 460.0,175.0 840.0,56.0"`; !strings.Contains(linear, "<polyline") || !strings.Contains(linear, want) {
		t.Errorf("the linear curve is not %s:\n%s", want, linear)
	}
	logarithmic := string(Chart{LogX: true, LogY: true, Curves: []Curve{{"a", points(1000, 100, 10, 1, 100, 10)}}}.SVG())
	if want := `points="80.0,294.0 460.0,175.0 840.0,56.0"`; !strings.Contains(logarithmic, want) {
		t.Errorf("the logarithmic curve is not %s, in the order of X:\n%s", want, logarithmic)
	}
}

func TestChartIsWellFormed(t *testing.T) {
	for name, c := range map[string]Chart{
		"empty":               {Title: "nothing <here> & there"},
		"one point":           {Title: "t", X: "x", Y: "y", LogX: true, LogY: true, Curves: []Curve{{"a<b", points(1, 1)}}},
		"what has no place":   {LogX: true, LogY: true, Curves: []Curve{{"a", points(0, 1, 1, 0, -1, 3, 10, math.Inf(1), 5, math.NaN())}}},
		"all the same":        {Curves: []Curve{{"a", points(0, 0, 0, 0)}}},
		"more than the names": {Curves: make([]Curve, 9)},
		"a spread to zero":    {LogY: true, Curves: []Curve{{"a", []Point{{1, 10, 0, 20}, {2, 10, 5, 20}}}}},
	} {
		t.Run(name, func(t *testing.T) {
			drawn := c.SVG()
			wellFormed(t, drawn)
			if s := string(drawn); strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
				t.Errorf("the chart holds what is no number:\n%s", s)
			}
		})
	}
}

// Charts in a column keep their axes apart, and none is drawn over another.
func TestColumnDrawsChartsBelowEachOther(t *testing.T) {
	c := Chart{Title: "one", Curves: []Curve{{"a", points(0, 0, 5, 5, 10, 10)}}}
	other := Chart{Title: "two", ReachY: 100, Curves: []Curve{{"b", points(0, 0, 10, 50)}}}
	drawn := string(Column(c, other))
	wellFormed(t, []byte(drawn))
	for _, want := range []string{
		`viewBox="0 0 860 444"`, `<g transform="translate(0 0)">`, `<g transform="translate(0 222)">`,
		`points="80.0,176.0 460.0,116.0 840.0,56.0"`, // all of the height
		`points="80.0,176.0 840.0,116.0"`,            // half of it, as the axis reaches to 100
	} {
		if !strings.Contains(drawn, want) {
			t.Errorf("there is no %s:\n%s", want, drawn)
		}
	}
	wellFormed(t, Column())
}

// Points are marked if there are few of them, and a spread is drawn if there is one.
func TestManyPointsAreALine(t *testing.T) {
	var few, many []Point
	for i := range manyPoints + 1 {
		p := Point{float64(i), 1, 1, 1}
		if many = append(many, p); i > 0 {
			few = append(few, p)
		}
	}
	for _, tt := range []struct {
		points          []Point
		circles, spread int
	}{{few, manyPoints, 0}, {many, 0, 0}, {[]Point{{1, 2, 1, 2}}, 1, 1}, {[]Point{{1, 2, 2, 3}}, 1, 1}} {
		drawn := string(Chart{Curves: []Curve{{"a", tt.points}}}.SVG())
		if circles, spread := strings.Count(drawn, "<circle"), strings.Count(drawn, "<polygon"); circles != tt.circles || spread != tt.spread {
			t.Errorf("%d points: %d circles and %d spreads, want %d and %d", len(tt.points), circles, spread, tt.circles, tt.spread)
		}
	}
}

func TestMarksAreRound(t *testing.T) {
	for _, tt := range []struct {
		axis axis
		want string
	}{
		{axis{least: 3, most: 97, known: true}, "0 20 40 60 80 100"},
		{axis{least: 0, most: 0.7, known: true}, "0 0.2 0.4 0.6 0.8"},
		{axis{least: 30, most: 45000, known: true, log: true}, "10 100 1k 10k 100k"},
		{axis{least: 10, most: 10, known: true, log: true}, "10 100"},
	} {
		tt.axis.end()
		var got []string
		for _, v := range tt.axis.marks() {
			got = append(got, spell(v))
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("marks = %v, want %s", got, tt.want)
		}
	}
}
