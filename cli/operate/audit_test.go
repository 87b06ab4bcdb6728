package operate

import (
	"strings"
	"testing"

	"example.com/livery/cli/term"
	"example.com/livery/origin/operator"
	"example.com/livery/storage/record"
)

// A name in the audit log cannot drive a terminal, and begins no line.
func TestANameInTheAuditLogStaysInItsLine(t *testing.T) {
	var out strings.Builder
	name := "a\r\n\x1b[5m\u202e::error::x\x7f\u009b"
	a := &app{App: &term.App{Out: &out}}
	a.printAudit(operator.AuditPage{Entries: []record.Audit{{Target: name, Changes: []string{name}}}}, false)
	said := out.String()
	if strings.Count(said, "\n") != 1 || strings.ContainsAny(said, "\r\x1b\x7f\u202e\u009b") {
		t.Errorf("an entry is printed as %q", said)
	}
}
