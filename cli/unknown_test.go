package cli

import (
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/livery/cli/term"
)

func TestWrongCommandLinesSayWhatToTry(t *testing.T) {
	cases := []struct{ rule, line, want, next string }{
		{"a word that is no command is told before the flags after it", "pusk a.json --env sandbox", `livery has no command "pusk".`, "Did you mean livery push?"},
		{"a command that stands elsewhere", "theme publish --env sandbox", `livery theme has no command "publish".`, "Did you mean livery publish?"},
		{"a slip of one that stands elsewhere", "theme publsh", `livery theme has no command "publsh".`, "Did you mean livery publish?"},
		{"what serves the purpose", "theme integrations mine --env sandbox", `livery theme has no command "integrations".`, "Did you mean livery theme show or livery theme update?"},
		{"a slip of that", "theme integratoins", `livery theme has no command "integratoins".`, "Did you mean livery theme show or livery theme update?"},
		{"a flag of the commands below", "keys --ttl 1h", "livery keys has no flag --ttl.", "See livery keys --help."},
		{
			"the commands below that have a flag", "theme --env sandbox", "livery theme has no flag --env.",
			"These commands have it: livery theme create, livery theme delete, livery theme list, livery theme modes, livery theme show, livery theme update.",
		},
		{"a slip of a flag", "push a.json --them acme", "livery push has no flag --them.", "Did you mean --theme?"},
		{"a value that a flag cannot have", "token --subject a --ttl soon", `--ttl cannot be "soon".`, "It takes: how long it is valid"},
		{"a value that is missing", "theme list --env", "--env needs a value.", "It takes: ENVIRONMENT, slug or id"},
		{"two values where one is taken", "push a.json --loss ask --loss=drop", `--loss is given twice: "ask" and "drop".`, "Give --loss once"},
		{"two answers", "push a.json --strict --strict=false", `--strict is given twice: "true" and "false".`, "Give --strict once"},
		{"two tokens, which are not printed", "env list --token a1 --token b2", "--token is given twice: two tokens.", "Give --token once"},
	}
	for _, c := range cases {
		var out, said strings.Builder
		code := Main(strings.Fields(c.line), strings.NewReader(""), &out, &said)
		want := "livery: " + c.want + "\n        " + c.next
		if code != term.ExitUsage || !strings.HasPrefix(said.String(), want) || out.Len() > 0 {
			t.Errorf("%s: livery %s = %d\n%s%s, want\n%s", c.rule, c.line, code, out.String(), said.String(), want)
		}
	}
}

// TestEveryFlagOfOneValueRefusesASecond: whatever the flag, a second, other value is an error that names both; the same
// value again is none.
func TestEveryFlagOfOneValueRefusesASecond(t *testing.T) {
	values := map[string][2]string{
		"string": {"a", "b"}, "int": {"1", "2"}, "int64": {"1", "2"}, "uint64": {"1", "2"}, "bool": {"true", "false"}, "duration": {"1s", "2s"},
	}
	seen := 0
	walk(t, func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if _, isList := f.Value.(pflag.SliceValue); isList || f.Name == "help" {
				return
			}
			pair, ok := values[f.Value.Type()]
			if !ok {
				t.Fatalf("%s --%s is a %s, for which this test has no values", cmd.CommandPath(), f.Name, f.Value.Type())
			}
			seen++
			v := f.Value
			for range 2 {
				if err := v.Set(pair[0]); err != nil {
					t.Errorf("%s --%s %s: %v", cmd.CommandPath(), f.Name, pair[0], err)
				}
			}
			if err := v.Set(pair[1]); err == nil || !strings.Contains(err.Error(), "--"+f.Name+" is given twice") {
				t.Errorf("%s --%s %s --%s %s: %v, want an error", cmd.CommandPath(), f.Name, pair[0], f.Name, pair[1], err)
			}
		})
	})
	if seen < 100 {
		t.Errorf("%d flags were looked at", seen)
	}
}

func TestAReleaseHasItsNumberAndItsCommit(t *testing.T) {
	releaseVersion, releaseCommit = "1.2.3", "0123abcd"
	defer func() { releaseVersion, releaseCommit = "", "" }()
	var out strings.Builder
	code := Main([]string{"version", "--json"}, strings.NewReader(""), &out, io.Discard)
	if code != term.ExitOK || !strings.Contains(out.String(), `"version": "1.2.3"`) || !strings.Contains(out.String(), `"commit": "0123abcd"`) {
		t.Errorf("livery version --json = %d\n%s, want the version 1.2.3 and the commit 0123abcd", code, out.String())
	}
}

// While a command is typed a shell shows the usages of flags, without the marks that the help reads.
func TestCompletionsHaveNoMarks(t *testing.T) {
	var out strings.Builder
	if code := Main([]string{"__complete", "push", "--th"}, strings.NewReader(""), &out, io.Discard); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	if !strings.HasPrefix(out.String(), "--theme\tTHEME, slug or id ") {
		t.Errorf("a shell shows %s", out.String())
	}
}
