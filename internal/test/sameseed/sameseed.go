// Package sameseed has the property tests of a package that imports it draw the same values in every run, so that what one
// run proves the next one does: -rapid.seed=0 draws others, and make suite NAME=fuzz does so at length.
package sameseed

import (
	"flag"

	_ "pgregory.net/rapid" // has the flag
)

func init() {
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
}
