package changeset

import (
	"testing"

	"example.com/livery/cli/term"
)

func TestATokenCannotDriveTheTerminal(t *testing.T) {
	if got := term.Cell(short([]byte(`"a\u001b[31mb\nc"`), "")); got != `a\x1b[31mb c` {
		t.Errorf("a value is shown as %q", got)
	}
}
