// Command theme writes the stylesheet of the console's own theme, which is the sample Theme of livery dev: both schemes in one
// file, as an edge would serve it.
package main

import (
	"fmt"
	"os"

	"example.com/livery/renderer"
	"example.com/livery/renderer/modesheet"
)

func main() {
	if err := write(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "theme:", err)
		os.Exit(1)
	}
}

// write writes the stylesheet of a document and a dark Variant: DOCUMENT OVERRIDES OUT.
func write(args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("want DOCUMENT OVERRIDES OUT")
	}
	document, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	overrides, err := os.ReadFile(args[1])
	if err != nil {
		return err
	}
	flat := func(choice []int) ([]byte, error) {
		text := ""
		if choice[0] == 1 {
			text = string(overrides)
		}
		set, err := renderer.Load(string(document), text, "ui")
		if err != nil {
			return nil, err
		}
		return set.Append(nil, renderer.TokensCSS), nil
	}
	base, err := flat([]int{-1})
	if err != nil {
		return err
	}
	sheet, err := modesheet.Append(nil, base, []modesheet.Dimension{{Name: "scheme", Modes: []modesheet.Mode{
		{Name: "light", When: "(prefers-color-scheme: light)"},
		{Name: "dark", When: "(prefers-color-scheme: dark)", Variant: "dark"},
	}}}, flat)
	if err != nil {
		return err
	}
	return os.WriteFile(args[2], sheet, 0o644)
}
