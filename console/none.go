//go:build noconsole

// Package console holds no page: the build tag noconsole leaves it out.
package console

import "io/fs"

// Files returns nil.
func Files() fs.FS { return nil }
