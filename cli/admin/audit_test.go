package admin

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"example.com/livery/cli/term"
	_ "example.com/livery/internal/test/sameseed" // make suite NAME=fuzz draws others
	"example.com/livery/origin/operator"
	"example.com/livery/storage/record"
)

// A name in the audit log cannot drive a terminal, and begins no line.
func TestANameInTheAuditLogStaysInItsLine(t *testing.T) {
	rude := rapid.SampledFrom([]rune("\x00\a\n\r\x1b\x7f\u0085\u009b\u200e\u200f\u202a\u202e\u2028\u2066\u2069`|<>@#[]!:%"))
	names := rapid.OneOf(rapid.Just("a\r\n\x1b[5m\u202e::error::x\x7f\u009b"), rapid.StringOfN(rapid.OneOf(rude, rapid.Rune()), 1, -1, -1))
	rapid.Check(t, func(t *rapid.T) {
		var out strings.Builder
		name := names.Draw(t, "name")
		a := &app{App: &term.App{Out: &out}}
		kind := rapid.SampledFrom([]string{"operator", "user"}).Draw(t, "kind")
		actor := record.Actor{Kind: kind, Login: name, As: name, Issuer: name, Subject: name}
		a.printAudit(operator.AuditPage{Entries: []record.Audit{{Actor: actor, Target: name, Changes: []string{name}}}}, false)
		line, ended := strings.CutSuffix(out.String(), "\n")
		if !ended || strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsGraphic(r) }) {
			t.Fatalf("an entry of %q is printed as %q", name, out.String())
		}
	})
}
