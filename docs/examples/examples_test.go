// Package examples_test runs the examples and the guide. The pages run in a Chromium under the build tag
// browser (LIVERY_CHROMIUM names its program if it is not on the path); those that need libraries
// run under the build tag examples. Both want the libraries: npm install --no-save in this folder.
package examples_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/livery/internal/test/program"
)

func TestMain(m *testing.M) { program.Main(m.Run) }

// dev is a running livery dev of a test.
type dev struct {
	t    testing.TB
	data string
	file struct{ OriginURL, EdgeURL, Token string }
}

// startDev runs livery dev until the test ends.
func startDev(t testing.TB, flags ...string) *dev {
	t.Helper()
	data, err := os.MkdirTemp("", "livery-") // short: it holds a socket
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := filepath.Abs(filepath.Join("..", "..", ".cache", "compiled")) // shared by all tests of the tree
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("livery", append([]string{"dev", "--data", data, "--origin", "127.0.0.1:0", "--edge", "127.0.0.1:0", "--compiled", compiled}, flags...)...)
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("livery dev ended with %v: %s", err, said.String())
		}
		_ = os.RemoveAll(data)
	})
	d := &dev{t: t, data: data}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		text, err := os.ReadFile(filepath.Join(data, "dev.json"))
		if err != nil {
			continue
		}
		if err := json.Unmarshal(text, &d.file); err != nil {
			t.Fatal(err)
		}
		return d
	}
	t.Fatal("livery dev does not answer")
	return nil
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
