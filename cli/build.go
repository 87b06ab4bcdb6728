package cli

import (
	"cmp"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/renderer"
	"example.com/livery/wasm"
)

// releaseVersion is the number of the release that this is, and releaseCommit the commit it was built from. The linker
// sets both (-X example.com/livery/cli.releaseVersion=1.2.3); elsewhere they are what the Go tool noted.
var releaseVersion, releaseCommit string

// build says which build of the program runs.
type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`   // empty: the build does not say
	Modified bool   `json:"modified,omitempty"` // files differed from the commit
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Renderer string `json:"renderer"`          // version of the renderer that new versions are published with
	Module   string `json:"module,omitempty"`  // SHA-256 of its WebAssembly module; empty: built without one
	Warning  string `json:"warning,omitempty"` // what is wrong with the Go that built it; empty: nothing
}

func thisBuild() build {
	b := build{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Renderer: renderer.Version, Warning: toolchainWarning(runtime.Version())}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.read(info)
	}
	b.Version, b.Commit = cmp.Or(releaseVersion, b.Version), cmp.Or(releaseCommit, b.Commit)
	if module, err := wasm.Guest(); err == nil {
		b.Module = wasm.Digest(module)
	}
	return b
}

// read takes what the Go tool noted in the program.
func (b *build) read(info *debug.BuildInfo) {
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
}

func (a *app) versionCommand() *cobra.Command {
	return a.JSONFlag(&cobra.Command{
		Use:     "version",
		Short:   "Print which build this is: its version, commit, Go and renderer",
		Example: "  livery version\n  livery version --json",
		Args:    cmdline.Args(cobra.NoArgs),
		RunE:    func(*cobra.Command, []string) error { return a.printBuild() },
	})
}

// printBuild prints which build this is.
func (a *app) printBuild() error {
	b := thisBuild()
	return a.Show(b, func() {
		commit := b.Commit
		if b.Modified {
			commit += " (modified)"
		}
		a.Pairs(a.Out, "livery", b.Version, "commit", commit, "go", b.Go+" "+b.Platform, "renderer", b.Renderer, "module", b.Module, "warning", b.Warning)
	})
}
