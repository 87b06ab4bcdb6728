package cli

import (
	"bufio"
	"context"
	"fmt"
	"strings"
)

// confirm asks a question on the terminal and reports whether the answer is yes. If the command is not run by a person
// on a terminal, nobody can answer, and it is yes.
func (a *app) confirm(ctx context.Context, question string) (bool, error) {
	if a.drained || !isTerminal(a.in) || !isTerminal(a.err) {
		return true, nil
	}
	a.prompt(question)
	answer := make(chan string, 1)
	go func() { // a read of a terminal cannot be interrupted; the program ends with it
		line, _ := bufio.NewReader(a.in).ReadString('\n')
		answer <- line
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(a.err)
		return false, ctx.Err()
	case line := <-answer:
		said := strings.ToLower(strings.TrimSpace(line))
		return said == "y" || said == "yes", nil
	}
}

// confirmMerge asks whether token sets shall become one document, unless the flags say so.
func (a *app) confirmMerge(ctx context.Context, s *sources, p *pushFlags) error {
	if p.sure || p.dryRun || len(p.sets) > 0 || p.mode != "" || len(s.severalSets()) == 0 {
		return nil
	}
	ok, err := a.confirm(ctx, "Push these sets as one document?")
	if err != nil || ok {
		p.sure = ok
		return err
	}
	return fail("Choose sets with --sets or --token-mode, or merge all with --yes.", "nothing is pushed")
}
