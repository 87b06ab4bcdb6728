//go:build linux

package main

import (
	"fmt"

	"example.com/livery/bench/markdown"
)

// table spells the figures.
func (b *bench) table() string {
	lines := [][]string{{"what", "with", "", "unit"}}
	for _, f := range b.figures.Figures {
		with := ""
		if f.Over != "" {
			with = markdown.Grouped(int(f.At)) + " " + f.Over
		}
		lines = append(lines, []string{f.Name, with, fmt.Sprintf("%.4g", f.Value), f.Unit})
	}
	return markdown.Table(lines, func(column int) bool { return column == 2 })
}
