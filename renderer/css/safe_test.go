package css_test

import (
	"testing"

	"example.com/livery/renderer/css"
	"example.com/livery/renderer/jsontree"
)

// A var() or env() that names nothing is not written raw: a browser would drop the declaration.
func TestReferencesNameSomething(t *testing.T) {
	for value, raw := range map[string]bool{
		`var(--a)`: true, `var( --a , 1px )`: true, `var(--a, var(--b))`: true, `VAR(--a)`: true, `env(safe-area-inset-top)`: true,
		`env(viewport-segment-width 0 1, 4px)`: true, `calc(1px + var(--a))`: true,
		`var()`: false, `var(--)`: false, `VAR(a)`: false, `var(--a, var(b))`: false, `env()`: false, `var(1px)`: false, `var(--a b)`: false,
		`rgba(var(--))`: false, `min(env())`: false, `env(rotate3d(to right))`: false, `env(a b)`: false, `env(a 1px)`: false, `env(a 1.5)`: false, `env(a -1)`: false, `env(a 1e3)`: false, `env(a 1 2px, 3px)`: false,
	} {
		want := value
		if !raw {
			want = `"` + value + `"`
		}
		if got, misfit := css.Append(nil, css.String, jsontree.NewString(value)); string(got) != want || misfit != nil {
			t.Errorf("Append(%q) = %s, %v, want %s", value, got, misfit, want)
		}
	}
}
