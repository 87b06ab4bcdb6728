package plot

import (
	"math"
	"strconv"
)

// axis places values between two pixels.
type axis struct {
	log         bool
	from, to    float64 // pixels of least and most
	least, most float64
	known       bool // least and most are of a value that was seen
}

// holds reports whether a value can be placed.
func (a *axis) holds(v float64) bool {
	return !math.IsNaN(v) && !math.IsInf(v, 0) && (v > 0 || !a.log)
}

// widen makes the axis hold one value more.
func (a *axis) widen(v float64) {
	switch {
	case !a.holds(v):
	case !a.known:
		a.least, a.most, a.known = v, v, true
	default:
		a.least, a.most = min(a.least, v), max(a.most, v)
	}
}

// end rounds the ends off: a linear axis begins at 0, a logarithmic one at a power of ten.
func (a *axis) end() {
	if !a.known {
		a.least, a.most = 1, 10
	}
	if a.log {
		a.least, a.most = math.Pow(10, math.Floor(math.Log10(a.least)+1e-9)), math.Pow(10, math.Ceil(math.Log10(a.most)-1e-9))
		if a.least == a.most {
			a.most *= 10
		}
		return
	}
	a.least = min(a.least, 0)
	if a.most <= a.least {
		a.most = a.least + 1
	}
	step := a.step()
	a.most = math.Ceil(a.most/step-1e-9) * step
	a.least = math.Floor(a.least/step+1e-9) * step
}

// step is the distance of the marks of a linear axis: 1, 2 or 5 times a power of ten.
func (a *axis) step() float64 {
	rough := (a.most - a.least) / 5
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, times := range []float64{1, 2, 5} {
		if times*power >= rough {
			return times * power
		}
	}
	return 10 * power
}

// marks are the values that the axis names.
func (a *axis) marks() (marks []float64) {
	if a.log {
		for v := a.least; v <= a.most*1.0001; v *= 10 {
			marks = append(marks, v)
		}
		return marks
	}
	step := a.step()
	for n := 0; ; n++ {
		v := a.least + float64(n)*step
		if v > a.most+step/1000 {
			return marks
		}
		marks = append(marks, v)
	}
}

// within moves what a logarithmic axis cannot hold to its beginning.
func (a *axis) within(v float64) float64 {
	if a.log && v < a.least {
		return a.least
	}
	return v
}

// at returns the pixel of a value.
func (a *axis) at(v float64) float64 {
	part := (v - a.least) / (a.most - a.least)
	if a.log {
		part = (math.Log10(v) - math.Log10(a.least)) / (math.Log10(a.most) - math.Log10(a.least))
	}
	return a.from + part*(a.to-a.from)
}

// spell writes a mark short: 20k for 20,000.
func spell(v float64) string {
	for _, unit := range []struct {
		times float64
		name  string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if math.Abs(v) >= unit.times {
			return strconv.FormatFloat(v/unit.times, 'g', 4, 64) + unit.name
		}
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}
