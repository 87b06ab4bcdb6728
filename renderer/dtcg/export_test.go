package dtcg

// Steps returns what resolving d looked at, which the tests of its cost count.
func Steps(d *Document) int { return d.steps }

// MaxPathBytes is the bound of all paths together.
const MaxPathBytes = maxPathBytes
