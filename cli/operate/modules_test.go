package operate

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"example.com/livery/cli/term"
	"example.com/livery/origin/operator"
)

// One line for each module, columns aligned, with the count of versions and the mark of the current one.
func TestModulesAreATable(t *testing.T) {
	var out bytes.Buffer
	a := &app{App: &term.App{Out: &out}}
	registered := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	a.printModules(operator.ModuleList{Modules: []operator.Module{
		{Digest: "aa", CoreVersion: "1.0.0", ABIVersion: 1, Toolchain: "go1.26.8", Size: 2 << 20, RegisteredAt: registered, Versions: 12},
		{Digest: "bb", CoreVersion: "10.0.0", ABIVersion: 1, Size: 5 << 19, RegisteredAt: registered, Current: true},
	}})
	want := []string{
		"DIGEST  CORE    ABI  TOOLCHAIN  SIZE     REGISTERED           VERSIONS  CURRENT",
		"aa      1.0.0   1    go1.26.8   2.0 MiB  2026-01-02 03:04:05  12        -",
		"bb      10.0.0  1               2.5 MiB  2026-01-02 03:04:05  0         yes",
		"",
	}
	if got := out.String(); got != strings.Join(want, "\n") {
		t.Errorf("printModules() =\n%swant\n%s", got, strings.Join(want, "\n"))
	}
}
