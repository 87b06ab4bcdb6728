package tokentree

import "example.com/livery/client"

// PathsOf returns the paths of the tokens in a set.
func PathsOf(set client.TokenSet) []string {
	paths := make([]string, len(set.Tokens))
	for i, t := range set.Tokens {
		paths[i] = t.Path
	}
	return paths
}
