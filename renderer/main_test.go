package renderer_test

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain collects less garbage: files of up to 64 MiB are made here many times, and a fifth of the time went into it.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
