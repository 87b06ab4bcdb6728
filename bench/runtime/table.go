package main

import (
	"fmt"
	"slices"
	"time"

	"example.com/livery/bench/markdown"
)

// table is an aligned Markdown table.
type table struct {
	head []string
	rows [][]string
}

func (t *table) add(cells ...any) {
	row := make([]string, len(cells))
	for i, cell := range cells {
		row[i] = fmt.Sprint(cell)
	}
	t.rows = append(t.rows, row)
}

// String spells the table.
func (t table) String() string {
	return markdown.Table(append([][]string{t.head}, t.rows...), nil)
}

// samples are the times of one thing.
type samples []time.Duration

func (s samples) at(part float64) time.Duration {
	sorted := slices.Sorted(slices.Values(s))
	return sorted[int(part*float64(len(sorted)-1))]
}

func (s samples) milliseconds() (list []float64) {
	for _, d := range s {
		list = append(list, float64(d)/float64(time.Millisecond))
	}
	return list
}

func (s samples) median() time.Duration { return s.at(0.5) }

func (s samples) spread() string { return spell(s.at(0.25)) + " to " + spell(s.at(0.75)) }

// quantile returns the number that part of the numbers do not exceed.
func quantile(numbers []float64, part float64) float64 {
	sorted := slices.Sorted(slices.Values(numbers))
	return sorted[int(part*float64(len(sorted)-1))]
}

// spell gives a time in milliseconds, or in microseconds where it is short.
func spell(d time.Duration) string {
	if d < time.Millisecond {
		return micro(float64(d))
	}
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}

func micro(ns float64) string { return fmt.Sprintf("%.1f µs", ns/1000) }
