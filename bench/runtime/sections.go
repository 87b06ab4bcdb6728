package main

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"example.com/livery/bench/markdown"
)

// sizes builds the module once more with the names of its functions, and adds up their code by package.
func (b *bench) sizes(ctx context.Context) (table, error) {
	out := filepath.Join(b.dir, "named.wasm")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-buildmode=c-shared", "-o", out, "example.com/livery/wasm/guest")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=", "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		return table{}, fmt.Errorf("build the module: %w: %s", err, text)
	}
	module, err := os.ReadFile(out)
	if err != nil {
		return table{}, err
	}
	b.bar.Step()
	packages, data, err := weighModule(module)
	if err != nil {
		return table{}, err
	}
	t := table{head: []string{"package", "code, bytes", "share of the code"}}
	total := 0
	for _, size := range packages {
		total += size
	}
	other := 0
	for _, name := range slices.SortedFunc(maps.Keys(packages), func(a, b string) int { return cmp.Compare(packages[b], packages[a]) }) {
		if packages[name]*100 < total {
			other += packages[name]
			continue
		}
		t.add(name, markdown.Grouped(packages[name]), fmt.Sprintf("%.1f%%", 100*float64(packages[name])/float64(total)))
	}
	t.add("all others", markdown.Grouped(other), fmt.Sprintf("%.1f%%", 100*float64(other)/float64(total)))
	t.add("data of all", markdown.Grouped(data), "")
	return t, nil
}

// The sections of a module that are read here (WebAssembly core specification 2.0, 5.5).
const (
	sectionCustom = 0
	sectionImport = 2
	sectionCode   = 10
	sectionData   = 11
	namesOfFuncs  = 1 // subsection of the custom section "name"
)

var errSections = errors.New("the module's sections are not as expected")

// weighModule returns the bytes of code by package, and the bytes of data.
func weighModule(module []byte) (packages map[string]int, data int, err error) {
	var (
		imported int
		bodies   []int
		names    map[uint64]string
	)
	rest := reader(module[min(8, len(module)):])
	for len(rest) > 0 && err == nil {
		id := rest.bytes(1)
		section := reader(rest.bytes(int(rest.number())))
		switch {
		case id == nil:
			err = errSections
		case id[0] == sectionCustom && string(section.bytes(int(section.number()))) == "name":
			names = functionNames(section)
		case id[0] == sectionImport:
			imported, err = countImports(section)
		case id[0] == sectionCode:
			for range section.number() {
				size := int(section.number())
				bodies = append(bodies, size)
				section.bytes(size)
			}
		case id[0] == sectionData:
			data = len(section)
		}
	}
	packages = map[string]int{}
	for i, size := range bodies {
		packages[packageOf(names[uint64(imported+i)])] += size
	}
	return packages, data, err
}

// countImports counts the imported functions; a module of ours imports nothing else.
func countImports(section reader) (int, error) {
	n := int(section.number())
	for range n {
		section.bytes(int(section.number()))
		section.bytes(int(section.number()))
		if kind := section.bytes(1); kind == nil || kind[0] != 0 {
			return 0, errSections
		}
		section.number()
	}
	return n, nil
}

func functionNames(section reader) map[uint64]string {
	names := map[uint64]string{}
	for len(section) > 0 {
		id := section.bytes(1)
		part := reader(section.bytes(int(section.number())))
		if id[0] != namesOfFuncs {
			continue
		}
		for range part.number() {
			index := part.number()
			names[index] = string(part.bytes(int(part.number())))
		}
	}
	return names
}

// packageOf returns the package in the name of a function as Go's linker writes it, where slashes are
// underlines.
func packageOf(name string) string {
	const ours = "example.com_livery_"
	if rest, ok := strings.CutPrefix(name, ours); ok {
		first, _, _ := strings.Cut(rest, ".")
		return "livery: " + strings.ReplaceAll(first, "_", "/")
	}
	first, _, _ := strings.Cut(name, ".")
	return strings.ReplaceAll(first, "_", "/")
}

// reader is what is left to read of a module. Past the end it gives zeros and nothing.
type reader []byte

func (r *reader) number() uint64 {
	n, length := binary.Uvarint(*r)
	if length <= 0 {
		*r = nil
		return 0
	}
	*r = (*r)[length:]
	return n
}

func (r *reader) bytes(n int) []byte {
	if n < 0 || n > len(*r) {
		*r = nil
		return nil
	}
	cut := (*r)[:n]
	*r = (*r)[n:]
	return cut
}
