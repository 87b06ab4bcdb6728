package program

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Dev is a running livery dev, as its file dev.json describes it.
type Dev struct {
	OriginURL, EdgeURL, Token string
	Environments              map[string]string // ids by slug
	Data                      string            `json:"-"` // its data directory
}

// StartDev runs livery dev on free ports until the test ends. All tests share the compiled modules. The test fails if the
// server ends with an error or logs something.
func StartDev(t testing.TB, flags ...string) Dev {
	t.Helper()
	data, err := os.MkdirTemp("", "livery-") // short: it holds a socket
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"dev", "--data", data, "--origin", "127.0.0.1:0", "--edge", "127.0.0.1:0", "--compiled", Path(t, ".cache", "compiled")}, flags...)
	cmd := exec.Command("livery", args...)
	var log strings.Builder
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil || log.Len() > 0 {
			t.Errorf("livery dev ended with %v: %s", err, log.String())
		}
		_ = os.RemoveAll(data)
	})
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		text, err := os.ReadFile(filepath.Join(data, "dev.json"))
		if err != nil {
			continue
		}
		dev := Dev{Data: data}
		if err := json.Unmarshal(text, &dev); err != nil {
			t.Fatal(err)
		}
		return dev
	}
	t.Fatal("livery dev does not answer")
	return Dev{}
}
