package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"example.com/livery/renderer"
)

// buildVersion says which build this is: the version of the module where it was installed as one, the renderer
// that new versions are published with, and what built it.
func buildVersion() string {
	version := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	return fmt.Sprintf("livery %s, renderer %s, %s %s/%s", version, renderer.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
