package command

import "testing"

func TestCountsTakesGrowingNumbers(t *testing.T) {
	for text, want := range map[string]string{"10": "10", "1,10,100": "1,10,100", "": "", "0": "", "-1": "", "1,1": "", "2,1": "", "1,,2": "", "1, 2": "", "a": ""} {
		c := Counts{7}
		err := c.Set(text)
		switch {
		case want == "" && (err == nil || c.String() != "7"):
			t.Errorf("Set(%q) = %v and holds %s, want an error and what was held before", text, err, c.String())
		case want != "" && (err != nil || c.String() != want):
			t.Errorf("Set(%q) = %v and holds %s", text, err, c.String())
		}
	}
}
