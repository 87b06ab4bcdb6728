package value

import "testing"

func TestExpressions(t *testing.T) {
	cases := []struct{ text, want string }{
		{"4px * 3", "12px"},
		{"4px*3", "12px"},
		{"4 * 3", "12"},
		{"(4px + 8) / 2", "6px"},
		{"-2 * 4rem", "-8rem"},
		{"10px - 2px", "8px"},
		{"10px-2px", "8px"},
		{"1rem + 0.5rem", "1.5rem"},
		{"2 ^ 3 ^ 2", "512"},
		{"1 / 3", "0.3333"},
		{"0.1 + 0.2", "0.3"},
		{"50% * 2", "100%"},
		{"2 - -1", "3"},
		{"0 * -1", "0"},
		{"roundTo(4px * 1.33)", "5px"},
		{"roundTo(1.2345 * 1, 2)", "1.23"},
		{"roundTo(-1.5)", "-1"},
		{"floor(7 / 2)px", ""},
		{"min(4px, 2px * 1)", "2px"},
		{"max(1,2,3)", "3"},
		{"calc(2px * 2)", "4px"},
		{"pow(2, 4)", "16"},
		{"ceil(1.2)", "2"},
		{"4px 8px * 2", "4px 16px"},
		{"4px -2px * 2", "4px -4px"},
		{"4px  8px", ""},
		{"4px", ""},
		{"4px + 1rem", ""},
		{"1rem + 200", ""},
		{"1rem + 0", "1rem"},
		{"1rem * 2px", "2rem"},
		{"100% / 2px", "50%"},
		{"2 * 3rem / 2", "3rem"},
		{"(8 * 2)px", "16px"},
		{"1rem * 1em", ""},
		{"max(100%, 4px)", ""},
		{"roundTo(2rem / 3, 1)", "0.7rem"},
		{"1 / 0", ""},
		{"4px *", ""},
		{"(4px", ""},
		{"auto * 2", ""},
		{"{a} * 2", ""},
		{"", ""},
		{"sin(1)", ""},
		{"1, 2", ""},
		{"16px/1.5 Inter", ""},
	}
	for _, c := range cases {
		got, ok := Evaluate(c.text)
		if !ok {
			got = ""
		}
		if got != c.want {
			t.Errorf("Evaluate(%s) = %q, want %q", c.text, got, c.want)
		}
	}
}

func FuzzEvaluate(f *testing.F) {
	f.Add("roundTo((1px + 2) * -3, 2) 4")
	f.Fuzz(func(t *testing.T, text string) {
		if got, ok := Evaluate(text); ok && got == "" {
			t.Errorf("Evaluate(%q) is empty", text)
		}
	})
}
