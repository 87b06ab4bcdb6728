package crash

import (
	"flag"
	"os"
	"testing"
)

// Kills lose nothing that was acknowledged; make suite NAME=crash kills 1,000 times.
func TestKillsLoseNothing(t *testing.T) {
	arguments := flag.Args()
	if len(arguments) == 0 {
		arguments = []string{"-quick", "-livery", "../../bin/livery"}
		if _, err := os.Stat(arguments[2]); err != nil {
			t.Skip("the program is not built (make build)")
		}
	}
	if err := Part.Run(t.Context(), arguments, os.Stdout); err != nil {
		t.Fatal(err)
	}
}
