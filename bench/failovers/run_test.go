package failovers

import (
	"flag"
	"os"
	"testing"
)

// A failover loses no commit that was acknowledged; make suite NAME=failovers makes 20.
func TestFailoversLoseNothing(t *testing.T) {
	arguments := flag.Args()
	if len(arguments) == 0 {
		t.Skip("make suite NAME=failovers kills the primary of a real PostgreSQL")
	}
	if err := Part.Run(t.Context(), arguments, os.Stdout); err != nil {
		t.Fatal(err)
	}
}
