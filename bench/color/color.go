// Package color compares our conversion of colours to 8-bit sRGB, and our gamut mapping, with two libraries that implement
// CSS Color 4 (versions pinned in package.json). Its test renders thousands of colours of every space of DTCG 2025.10 into
// tokens.values.json, asks the libraries for the same, and fails if we differ from both by more than the tolerance; -results
// FILE writes the largest differences of each space to a table.
package color
