// Package examples_test runs the examples and the guide. The pages run in a Chromium under the build tag
// browser (LIVERY_CHROMIUM names its program if it is not on the path); those that need libraries
// run under the build tag examples. Both want the libraries: npm install --no-save in this folder.
package examples_test

import (
	"os"
	"os/exec"
	"testing"

	"example.com/livery/internal/test/program"
)

func TestMain(m *testing.M) { program.Main(m.Run) }

// dev is a running livery dev of a test.
type dev struct {
	t    testing.TB
	data string
	file program.Dev
}

// startDev runs livery dev until the test ends.
func startDev(t testing.TB, flags ...string) *dev {
	t.Helper()
	d := program.StartDev(t, flags...)
	return &dev{t: t, data: d.Data, file: d}
}

func read(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestTheTokensOfTheExamplesAreWhole: what the examples use is there, and nothing of it is left out.
func TestTheTokensOfTheExamplesAreWhole(t *testing.T) {
	out, err := exec.Command("livery", "check").CombinedOutput()
	if err != nil {
		t.Errorf("livery check: %v\n%s", err, out)
	}
}
