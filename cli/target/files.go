package target

import (
	"example.com/livery/cli/term"
	"example.com/livery/client"
)

// PrintFiles prints the addresses of served files.
func PrintFiles(a *term.App, urls client.ServingURLs) {
	for _, f := range urls.Latest {
		a.Say("  %s", f.URL)
	}
}
