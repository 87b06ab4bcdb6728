// Package modesheet writes the conditional part of a stylesheet: for a Theme with dimensions of modes (a scheme that is
// light or dark, a contrast) the custom properties that differ from the base, for the page by media conditions and for
// any element by data attributes, right when such elements are nested.
//
// It reads and writes the text of tokens.css alone, one declaration a line, so that it works with the files of every
// renderer module.
package modesheet

import (
	"errors"
)

// Dimension is one dimension of a stylesheet: an attribute data-<Name> with one value a mode.
type Dimension struct {
	Name  string
	Modes []Mode // in order: of media conditions that hold at once, the later mode's wins
}

// Mode is one mode of a dimension.
type Mode struct {
	Name string
	When string // the media condition under which a page without the attribute has the mode; empty: never
	Base bool   // it overrides nothing
}

// MaxBytes is the length of the longest text that Append appends.
const MaxBytes = 8 << 20

// ErrTooLong says that the modes of the dimensions have more to say together than MaxBytes.
var ErrTooLong = errors.New("modesheet: the modes of so many dimensions differ in too much: ask for fewer dimensions")

// Append appends to dst what follows base, a tokens.css, and makes it the stylesheet of all modes of dims, at most four
// dimensions. flat returns the tokens.css of one combination: choice holds for each dimension the position of its mode,
// or -1 for no mode; it is not asked for the combination without modes. Append returns an error of flat, or ErrTooLong.
func Append(dst, base []byte, dims []Dimension, flat func(choice []int) ([]byte, error)) ([]byte, error) {
	t := newTable(dims, base)
	if err := t.fill(flat); err != nil {
		return nil, err
	}
	w := writer{table: t, out: dst, limit: len(dst) + MaxBytes}
	w.baseScheme()
	for size := 1; size <= len(dims); size++ {
		for set := range subset(1) << len(dims) {
			if set.size() == size {
				w.blocks(set)
			}
		}
	}
	if len(w.out) > w.limit {
		return nil, ErrTooLong
	}
	return w.out, nil
}

// blocks writes the blocks of every choice of modes of the dimensions in set, and notes what they declare.
func (w *writer) blocks(set subset) {
	for _, choice := range w.choices(set) {
		properties := w.needed(set, choice)
		w.declared[key(choice)] = properties
		if len(w.out) <= w.limit {
			w.block(set, choice, properties)
		}
	}
}
