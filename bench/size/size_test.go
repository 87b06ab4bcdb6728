package main

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"example.com/livery/bench/markdown"
)

// handMade is a module of one imported and two own functions, with a name for each.
const handMade = "\x00asm\x01\x00\x00\x00" +
	"\x01\x04\x01\x60\x00\x00" + // one type
	"\x02\x07\x01\x01e\x01f\x00\x00" + // one import
	"\x03\x03\x02\x00\x00" + // two functions
	"\x0a\x08\x02\x02\x00\x0b\x03\x00\x01\x0b" + // their bodies
	"\x0b\x03\x00ab" + // data
	"\x00\x12\x04name\x01\x0b\x03\x00\x01i\x01\x01a\x02\x02bc"

func TestReadModule(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hand.wasm")
	if err := os.WriteFile(path, []byte(handMade), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := readModule(path)
	want := &module{bytes: len(handMade), code: 8, data: 3, functions: []function{{"a", 3}, {"bc", 4}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("readModule = %+v, %v, want %+v", got, err, want)
	}
	for n := range len(handMade) {
		if err := os.WriteFile(path, []byte(handMade[:n]), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := readModule(path); err != nil && !errors.Is(err, errModule) {
			t.Errorf("readModule of %d bytes: %v", n, err)
		}
	}
}

func TestPackageOf(t *testing.T) {
	for name, want := range map[string]string{
		"runtime.mallocgc": "runtime",
		"example.com_livery_renderer_css.__expression_.insert": "example.com_livery_renderer_css",
		"slices.Sort_go.shape.struct___example.com_a_b":        "slices",
		"nothing": "nothing",
	} {
		if got := packageOf(name); got != want {
			t.Errorf("packageOf(%q) = %q, want %q", name, got, want)
		}
	}
}

// Every file that is said to belong to a type exists, and declares functions.
func TestFilesOfTypesExist(t *testing.T) {
	files, err := filesOfFunctions("../../renderer/css")
	if err != nil {
		t.Fatal(err)
	}
	declare := map[string]bool{}
	for _, file := range files {
		declare[file] = true
	}
	for file := range typeFiles {
		if !declare[file] {
			t.Errorf("renderer/css/%s declares nothing", file)
		}
	}
	for name, want := range map[string]string{"appendShadow": "shadow.go", "__expression_.insert": "expression.go", "space.whole": "colorspace.go"} {
		if files[name] != want {
			t.Errorf("%s stands in %q, want %q", name, files[name], want)
		}
	}
}

func TestSpell(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567"} {
		if got := markdown.Grouped(n); got != want {
			t.Errorf("Grouped(%d) = %q, want %q", n, got, want)
		}
	}
}
