package term

import (
	"errors"
	"fmt"
	"testing"

	"example.com/livery/client"
)

func TestExplanationsKeepTheirCause(t *testing.T) {
	cause := &client.Error{Status: 409, Cause: "conflict", Method: "POST", URL: "u"}
	f := Explain(cause)
	if !errors.Is(f, client.ErrConflict) || f.Next == "" || f.Usage {
		t.Errorf("explain(a conflict) = %+v", f)
	}
}

type hint string

func (h hint) Error() string { return "f.yaml:1:1: unknown member" }
func (h hint) Hint() string  { return string(h) }

func TestExplain_Hint(t *testing.T) {
	f := Explain(fmt.Errorf("read: %w", hint("Did you mean text?")))
	if f.Sentence != "read: f.yaml:1:1: unknown member" || f.Next != "Did you mean text?" {
		t.Errorf("Explain(an error with a hint) = %+v", f)
	}
}
