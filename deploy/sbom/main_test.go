package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestDescribe describes the test's own binary: the same document each time, the Go it was built with, no
// component twice.
func TestDescribe(t *testing.T) {
	var texts [2]bytes.Buffer
	for i := range texts {
		if err := describe(&texts[i], os.Args[0], "1.2.3"); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(texts[0].Bytes(), texts[1].Bytes()) {
		t.Error("two documents of one binary differ")
	}
	var d document
	if err := json.Unmarshal(texts[0].Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	if d.Format != "CycloneDX" || len(d.Metadata.Component.Hashes) != 1 || d.Metadata.Component.Version != "1.2.3" || !strings.HasPrefix(d.Components[0].Version, "go1.") {
		t.Errorf("describe() = %+v", d)
	}
	refs := map[string]bool{d.Metadata.Component.Ref: true}
	for _, c := range d.Components {
		if refs[c.Ref] {
			t.Errorf("%s is there twice", c.Ref)
		}
		refs[c.Ref] = true
	}
}

// TestDescribeRefusesWhatIsNoBinary and says which file it is.
func TestDescribeRefusesWhatIsNoBinary(t *testing.T) {
	if err := describe(&bytes.Buffer{}, "main.go", ""); err == nil {
		t.Error("describe() of a source file returns no error")
	}
}
