package house

import (
	"debug/buildinfo"
	"debug/elf"
	"errors"
	"io/fs"
	"runtime"
	"testing"
)

// TestTheProgramIsOneStaticFile reads the build information of what make build made: no C, no interpreter, no paths of
// the machine that built it.
func TestTheProgramIsOneStaticFile(t *testing.T) {
	const program = "bin/livery"
	info, err := buildinfo.ReadFile(program)
	if errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("%s does not exist: run make build, or make test, which builds it first", program)
	}
	if err != nil {
		t.Fatal(err)
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	for key, want := range map[string]string{"CGO_ENABLED": "0", "-trimpath": "true"} {
		if settings[key] != want {
			t.Errorf("%s was built with %s=%q, want %q", program, key, settings[key], want)
		}
	}
	if runtime.GOOS == "linux" {
		wantNoInterpreter(t, program)
	}
}

// wantNoInterpreter fails if the file needs a dynamic linker, that is, libraries of the machine it runs on.
func wantNoInterpreter(t *testing.T, program string) {
	t.Helper()
	f, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for _, segment := range f.Progs {
		if segment.Type == elf.PT_INTERP || segment.Type == elf.PT_DYNAMIC {
			t.Errorf("%s has a segment %v: it is linked dynamically", program, segment.Type)
		}
	}
}
