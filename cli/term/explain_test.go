package term

import (
	"errors"
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
