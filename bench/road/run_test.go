package road

import (
	"flag"
	"os"
	"testing"
)

// The road is measured to its end; make road measures it long enough.
func TestRoad(t *testing.T) {
	arguments := flag.Args()
	if len(arguments) == 0 {
		arguments = []string{"-quick", "-livery", "../../bin/livery", "-document", "../../cli/serve/sample/tidewater.tokens.json", "-token", "/palette/ocean/50/$value"}
		if _, err := os.Stat(arguments[2]); err != nil {
			t.Skip("the program is not built (make build)")
		}
	}
	if err := Part.Run(t.Context(), arguments, os.Stdout); err != nil {
		t.Fatal(err)
	}
}
