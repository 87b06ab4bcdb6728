// Package modesheet writes the stylesheet of a Theme with dimensions of modes (a scheme that is light or dark, a
// contrast): a page follows its media conditions, any element its data attributes, right when such elements are nested.
//
// What the modes change is declared once, with all of its values, on each element that can change it. Custom properties
// that are inherited are the switches between the values:
//
//	:root, [data-scheme] {
//	  --ink: var(--scheme\.not\.dark,#000)var(--scheme\.dark,#fff);
//	}
//	[data-scheme="dark"] {
//	  --scheme\.dark: initial;
//	  --scheme\.not\.dark: ;
//	}
//
// A switch that is initial is on: its var() is the value behind the comma. One that is empty is off: its var() is
// nothing. The name of a switch has a full stop, which those of tokens never have.
//
// The package reads and writes the text of tokens.css alone, one declaration a line, so that it works with the files of
// every renderer module.
package modesheet

import (
	"errors"
	"slices"
)

// Dimension is one dimension of a stylesheet: an attribute data-<Name> with one value a mode.
type Dimension struct {
	Name  string
	Modes []Mode // in order: of media conditions that hold at once, the later mode's wins
	// LightDark asks for light-dark() in place of switches, for colours. It has no effect unless the modes are light and
	// dark, and one of them overrides nothing.
	LightDark bool
}

// Mode is one mode of a dimension.
type Mode struct {
	Name    string
	When    string // the media condition under which a page without the attribute has the mode; empty: never
	Variant string // names what the mode overrides: the id of a Variant; empty: it overrides nothing
}

// MaxBytes is by how much the longest stylesheet is longer than its base.
const MaxBytes = 8 << 20

// ErrTooLong says that the modes of the dimensions have more to say together than MaxBytes.
var ErrTooLong = errors.New("modesheet: the modes of so many dimensions differ in too much: ask for fewer dimensions")

// Append appends to dst the stylesheet that base, a tokens.css, is without any mode and that has all modes of dims, at
// most four dimensions. flat returns the tokens.css of one combination: choice holds for each dimension the position of
// its mode, or -1 for no mode; it is not asked for the combination without modes. Append returns an error of flat, or
// ErrTooLong.
func Append(dst, base []byte, dims []Dimension, flat func(choice []int) ([]byte, error)) ([]byte, error) {
	t := newTable(dims, base)
	if err := t.fill(len(base)+MaxBytes, flat); err != nil {
		return nil, err
	}
	w := writer{table: t, out: slices.Grow(dst, 2*len(base)), limit: len(dst) + len(base) + MaxBytes, copies: map[property]bool{}}
	w.base(base)
	w.properties()
	w.switches()
	if len(w.out) > w.limit {
		return nil, ErrTooLong
	}
	return w.out, nil
}
