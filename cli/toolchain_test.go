package cli

import (
	"os"
	"strings"
	"testing"
)

func TestToolchain(t *testing.T) {
	text, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "\ntoolchain "+wantedGo+"\n") {
		t.Errorf("go.mod has no line %q: change both together", "toolchain "+wantedGo)
	}
	for built, want := range map[string]bool{
		"go1.26.8": true, "go1.26": true, "go1.25.20": true, "go1.26.9": false, "go1.26.10": false, "go1.27": false, "go1.27rc1": false,
		"devel go1.27-abc": true, // it cannot be compared
	} {
		if got := toolchainWarning(built); (got != "") != want || want && !strings.Contains(got, built) {
			t.Errorf("toolchainWarning(%s) = %q, want one: %t", built, got, want)
		}
	}
}
