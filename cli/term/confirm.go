package term

import (
	"bufio"
	"context"
	"fmt"
	"strings"
)

// CanAsk reports whether a person on a terminal can answer a question.
func (a *App) CanAsk() bool { return !a.drained && IsTerminal(a.In) && IsTerminal(a.Err) }

// Confirm asks a question on the terminal and reports whether the answer is yes. If the command is not run by a person
// on a terminal, no user can answer, and it is yes.
func (a *App) Confirm(ctx context.Context, question string) (bool, error) {
	if !a.CanAsk() {
		return true, nil
	}
	a.prompt(question)
	answer := make(chan string, 1)
	go func() { // a read of a terminal cannot be interrupted; the program ends with it
		line, _ := bufio.NewReader(a.In).ReadString('\n')
		answer <- line
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(a.Err)
		return false, ctx.Err()
	case line := <-answer:
		said := strings.ToLower(strings.TrimSpace(line))
		return said == "y" || said == "yes", nil
	}
}
