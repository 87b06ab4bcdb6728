package cli

import (
	"bytes"
	"errors"
	"testing"

	"example.com/livery/cli/term"
)

// A command whose output does not arrive has failed, whatever it did.
func TestWhatIsNotPrintedIsAFailure(t *testing.T) {
	var said bytes.Buffer
	if code := Main([]string{"help"}, nil, broken{}, &said); code != term.ExitFailed || said.String() != "livery: not everything could be printed: no room.\n        Free some space there, or print to another place.\n" {
		t.Errorf("Main() = %d and says %q, want a failure", code, said.String())
	}
	if code := Main([]string{"help"}, nil, &bytes.Buffer{}, &said); code != term.ExitOK {
		t.Errorf("Main() = %d, want 0", code)
	}
}

// broken is a place that has no room.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("no room") }
