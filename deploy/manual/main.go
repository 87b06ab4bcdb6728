// Command manual writes the manual pages of every command (man/livery.1, man/livery-push.1, …) and the completions for
// shells (completions/livery.bash, .zsh, .fish and .ps1) into a folder. The same program gives the same bytes.
//
//	go run ./deploy/manual -version 1.2.3 -date 2026-01-31 bin/manual
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"example.com/livery/cli"
)

func main() {
	version := flag.String("version", "(devel)", "`VERSION` that the pages name")
	date := flag.String("date", "1970-01-01", "`DATE` that the pages name")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: manual [-version VERSION] [-date DATE] DIR")
		os.Exit(2)
	}
	at, err := time.Parse(time.DateOnly, *date)
	if err == nil {
		err = write(flag.Arg(0), *version, at)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "manual:", err)
		os.Exit(1)
	}
}

// write writes the pages and the completions into dir.
func write(dir, version string, at time.Time) error {
	pages, completions := filepath.Join(dir, "man"), filepath.Join(dir, "completions")
	if err := errors.Join(os.MkdirAll(pages, 0o755), os.MkdirAll(completions, 0o755)); err != nil {
		return err
	}
	root := cli.Commands()
	root.DisableAutoGenTag = true
	header := &doc.GenManHeader{Section: "1", Source: "Livery " + version, Manual: "Livery", Date: &at}
	return errors.Join(doc.GenManTree(root, header, pages), writeCompletions(root, filepath.Join(completions, "livery.")))
}

// writeCompletions writes a file for each shell, whose name begins with prefix.
func writeCompletions(root *cobra.Command, prefix string) error {
	return errors.Join(
		root.GenBashCompletionFileV2(prefix+"bash", true),
		root.GenZshCompletionFile(prefix+"zsh"),
		root.GenFishCompletionFile(prefix+"fish", true),
		root.GenPowerShellCompletionFileWithDesc(prefix+"ps1"),
	)
}
