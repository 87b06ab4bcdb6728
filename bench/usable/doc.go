// Package usable checks that the served files work unchanged in the libraries for which they are served: its test renders
// documents with the renderer, hands the files to the real libraries (check.mjs, versions pinned in package.json), and
// writes what came of it to the file that -results names.
package usable
