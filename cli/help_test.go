package cli

import (
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/livery/cli/cmdline"
)

// walk calls visit with every command that does something itself.
func walk(t *testing.T, visit func(*cobra.Command)) {
	t.Helper()
	root := testApp(strings.NewReader(""), io.Discard, io.Discard).root()
	root.InitDefaultHelpCmd()
	var into func(*cobra.Command)
	into = func(cmd *cobra.Command) {
		for _, c := range cmd.Commands() {
			into(c)
		}
		if !cmd.HasSubCommands() {
			visit(cmd)
		}
	}
	into(root)
	visit(commandAt(t, root, "token")) // it does something, and holds a command too
}

func commandAt(t *testing.T, root *cobra.Command, name string) *cobra.Command {
	t.Helper()
	c, _, err := root.Find([]string{name})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Every command says in one line what it does, and shows at least one command line of its own.
func TestEveryCommandHasAnExample(t *testing.T) {
	seen := 0
	walk(t, func(cmd *cobra.Command) {
		seen++
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s says of itself %q", cmd.CommandPath(), cmd.Short)
		}
		if cmd.Name() == "help" {
			return
		}
		if !strings.Contains(cmd.Example, cmd.CommandPath()) {
			t.Errorf("%s has the example %q, which does not show it", cmd.CommandPath(), cmd.Example)
		}
		for line := range strings.SplitSeq(cmd.Example, "\n") {
			if !strings.HasPrefix(line, "  ") {
				t.Errorf("%s has the example %q, which is not indented", cmd.CommandPath(), line)
			}
		}
	})
	if seen < 40 {
		t.Errorf("%d commands were looked at", seen)
	}
}

// Every help page fits a screen.
func TestEveryHelpPageFitsAScreen(t *testing.T) {
	walk(t, func(cmd *cobra.Command) {
		if n := strings.Count(cmd.Long, "\n") + strings.Count(cmd.UsageString(), "\n") + 2; n > 45 {
			t.Errorf("the help of %s has %d lines", cmd.CommandPath(), n)
		}
	})
}

// Every flag says what it is for, in what unit, and by which variable it can be given.
func TestEveryFlagIsExplained(t *testing.T) {
	walk(t, func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			usage, _, _ := strings.Cut(f.Usage, "[$")
			if f.Name == "help" {
				return
			}
			if strings.TrimSpace(usage) == "" || !strings.Contains(f.Usage, "[$"+cmdline.Variable(f.Name)+"]") {
				t.Errorf("%s --%s is explained as %q", cmd.CommandPath(), f.Name, f.Usage)
			}
			if f.Value.Type() != "bool" && strings.Count(f.Usage, "`") != 2 && f.Value.Type() != "duration" {
				t.Errorf("%s --%s does not name its value between backquotes: %q", cmd.CommandPath(), f.Name, f.Usage)
			}
			if f.Value.Type() == "duration" && !strings.Contains(f.Usage, "DURATION") {
				t.Errorf("%s --%s does not say that it takes a DURATION: %q", cmd.CommandPath(), f.Name, f.Usage)
			}
		})
	})
}

// withoutJSON are the commands that print no data of their own, and why.
var withoutJSON = map[string]string{
	"livery dev":                   "it serves",
	"livery origin":                "it serves",
	"livery edge":                  "it serves",
	"livery ci review":             "what it prints is the log of a job",
	"livery ci release":            "what it prints is the log of a job",
	"livery docs":                  "what it writes are files",
	"livery init":                  "what it writes is a file",
	"livery help":                  "it prints help",
	"livery completion bash":       "it prints a script",
	"livery completion zsh":        "it prints a script",
	"livery completion fish":       "it prints a script",
	"livery completion powershell": "it prints a script",
	"livery pull":                  "what it prints is the file itself",
	"livery preview":               "what it prints is the file itself",
}

// Every command that prints data prints it as JSON too, and only those few that have none do not.
func TestEveryCommandThatPrintsDataHasJSON(t *testing.T) {
	walk(t, func(cmd *cobra.Command) {
		_, excused := withoutJSON[cmd.CommandPath()]
		if has := cmd.Flags().Lookup("json") != nil; has == excused {
			t.Errorf("%s has --json: %t, excused: %t", cmd.CommandPath(), has, excused)
		}
	})
}
