package push

import (
	"fmt"
	"strings"
	"testing"

	"example.com/livery/cli/account"
	"example.com/livery/cli/term"
	"example.com/livery/client"
)

func TestFaultsOfARefusalHaveLinesOfTheirOwn(t *testing.T) {
	many := func(n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprint("fault ", i))
		}
		return list
	}
	cases := []struct {
		rule     string
		messages []string
		want     string
	}{
		{"one stays in the sentence", many(1), "livery: the origin refuses this: fault 0.\n        Fix it and push again.\n"},
		{
			"two have a line each",
			[]string{"x", "y\nz"},
			"livery: the origin refuses this:\n          x\n          y z\n        Fix them and push again.\n",
		},
		{"after 20 they are counted", many(23), "          fault 19\n          and 3 more\n        Fix them"},
		{"and those the origin counted too", append(many(1000), "and 500 more faults"), "          fault 19\n          and 1480 more\n        Fix them"},
	}
	for _, c := range cases {
		var said strings.Builder
		a := &app{Session: account.New(&term.App{Err: &said})}
		code := a.Report(explainPush(&client.Error{Status: 400, Cause: "validation", Messages: c.messages}, pushFlags{}))
		if code != term.ExitFailed || !strings.Contains(said.String(), c.want) {
			t.Errorf("%s: report says %d\n%s, want\n%s", c.rule, code, said.String(), c.want)
		}
	}
}

func TestARefusedPushNamesTheFlagThatHelps(t *testing.T) {
	refusal := &client.Error{Status: 400, Cause: "validation", Messages: []string{"x"}}
	cases := []struct {
		rule  string
		flags pushFlags
		want  string
	}{
		{"what would be left out of the files", pushFlags{strict: true}, "Fix it, or push without --strict."},
		{"anything else", pushFlags{}, "Fix it and push again."},
	}
	for _, c := range cases {
		if got := term.Explain(explainPush(refusal, c.flags)).Next; got != c.want {
			t.Errorf("%s: the next step is %q, want %q", c.rule, got, c.want)
		}
	}
	conflict := &client.Error{Status: 409, Cause: "conflict"}
	if got := explainPush(conflict, pushFlags{}); got != error(conflict) {
		t.Errorf("explainPush(a conflict) = %v, want it as it is", got)
	}
}
