package content

import "testing"

func TestValidatorsAreCompared(t *testing.T) { // A89
	for _, tt := range []struct {
		field string
		want  bool
	}{
		{`"a-gz"`, true},
		{`W/"a-gz"`, true},
		{`*`, true},
		{` "x", "a-gz" `, true},
		{`"x","y" , W/"a-gz"`, true},
		{`"a"`, false},
		{`a-gz`, false},
		{`"a-gz`, false},
		{`"x" a-gz`, false},
		{`"*"`, false},
		{``, false},
		{`,,,`, false},
	} {
		if got := AnyMatches([]byte(tt.field), []byte(`"a-gz"`)); got != tt.want {
			t.Errorf("AnyMatches(%q) = %t, want %t", tt.field, got, tt.want)
		}
	}
}
