// Package command is what the commands of the benchmarks share: how they end, and lists of numbers as
// flags.
package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
)

// Run runs a command until it has ended or somebody interrupts it; a second interrupt ends one that goes on.
// An error is told on standard error and ends the process with status 1.
func Run(name string, run func(context.Context) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop) // the next interrupt is the system's again
	if err := run(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// Counts is a flag of whole numbers above 0, each larger than the one before, separated by commas.
type Counts []int

// String spells the numbers as Set reads them.
func (c *Counts) String() string {
	words := make([]string, len(*c))
	for i, n := range *c {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ",")
}

// Set reads the numbers.
func (c *Counts) Set(text string) error {
	var list Counts
	for _, word := range strings.Split(text, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n <= 0 {
			return fmt.Errorf("%q is no whole number above 0", word)
		}
		if len(list) > 0 && n <= list[len(list)-1] {
			return errors.New("each number must be larger than the one before")
		}
		list = append(list, n)
	}
	*c = list
	return nil
}
