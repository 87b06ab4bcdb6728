package cli

import (
	"os/exec"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"example.com/livery/client"
)

func (a *app) openCommand() *cobra.Command {
	var p place
	var pinned, onlyPrint bool
	cmd := &cobra.Command{
		Use:   "open [FILE]",
		Short: "Open a served file in the browser",
		Long: "Opens the latest tokens.css, or FILE, of a Theme or Variant in the browser of this machine. In a\n" +
			"pipe and with --print it prints the address instead.",
		Example: "  livery open --env sandbox --theme acme --variant dark\n  curl $(livery open tokens.json --env sandbox --theme acme --print)",
		Args:    usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.open(cmd, p, append(args, "")[0], pinned, onlyPrint)
		},
	}
	cmd.Flags().BoolVar(&pinned, "pinned", false, "the file of the newest version, whose address never changes its content")
	cmd.Flags().BoolVar(&onlyPrint, "print", false, "print the address")
	return a.printing(ofVariant(cmd, &p))
}

func (a *app) open(cmd *cobra.Command, p place, file string, pinned, onlyPrint bool) error {
	_, f, err := a.find(cmd, p)
	if err != nil {
		return err
	}
	urls := f.theme.ServingURLs
	if f.variant != nil {
		urls = f.variant.ServingURLs
	}
	address, err := addressOf(f, urls, file, pinned)
	if err != nil {
		return err
	}
	if a.json || onlyPrint || !isTerminal(a.out) {
		return a.show(map[string]string{"url": address}, func() { a.say("%s", address) })
	}
	a.say("Opening %s", address)
	return browse(address)
}

// addressOf picks the address of a file, by default of the first.
func addressOf(f found, urls client.ServingURLs, file string, pinned bool) (string, error) {
	list := urls.Latest
	if pinned {
		list = urls.Pinned
	}
	switch {
	case len(urls.Latest) == 0:
		return "", fail("Give it one: livery theme update "+f.theme.Slug+" --integration react/plainCSS", "Theme %s serves no file until it has an integration", f.theme.Slug)
	case len(list) == 0:
		return "", fail("Publish it first: livery publish --theme "+f.theme.Slug, "Theme %s has no version yet", f.theme.Slug)
	case file == "":
		return list[0].URL, nil
	}
	if i := slices.IndexFunc(list, func(s client.ServedFile) bool { return s.File == file }); i >= 0 {
		return list[i].URL, nil
	}
	var names []string
	for _, s := range list {
		names = append(names, s.File)
	}
	return "", fail("It serves: "+listed(names)+". Another integration serves others.", "Theme %s serves no %s", f.theme.Slug, file)
}

// browse opens an address in the browser of this machine.
func browse(address string) error {
	command := []string{"xdg-open", address}
	switch runtime.GOOS {
	case "darwin":
		command[0] = "open"
	case "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler", address}
	}
	if err := exec.Command(command[0], command[1:]...).Start(); err != nil {
		return fail("Open the address yourself: "+address, "no browser can be started: %s", reason(err))
	}
	return nil
}
