// Package spelling finds what a misspelt name was meant to be.
package spelling

import "strings"

// Nearest returns the candidate that name is most likely a slip of, or "" if none is near. Case does not count.
func Nearest(name string, candidates []string) string {
	best, bestDistance, lower := "", len(name)/3+2, []rune(strings.ToLower(name))
	for _, c := range candidates {
		d := distance(lower, []rune(strings.ToLower(c)), bestDistance)
		if d < bestDistance || d == bestDistance && best != "" && c < best {
			best, bestDistance = c, d
		}
	}
	return best
}

// distance counts the runes to insert, delete or replace to make one into the other (Levenshtein), up to most: if it takes
// more, the result is more.
func distance(from, to []rune, most int) int {
	if len(from)-len(to) > most || len(to)-len(from) > most {
		return most + 1
	}
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range from {
		diagonal := row[0]
		row[0] = i + 1
		least := row[0]
		for j, s := range to {
			change := diagonal
			if r != s {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
			least = min(least, row[j+1])
		}
		if least > most {
			return most + 1
		}
	}
	return row[len(to)]
}
