package serve

import (
	"context"
	"os"
	"strings"

	"example.com/livery/cli/cmdline"
	"example.com/livery/client"
)

// welcome prints the addresses and what to try first.
func (a *app) welcome(ctx context.Context, d *dev) {
	a.Say("Livery is running. Ctrl-C ends it; the data stays in %s.\n", d.flags.data)
	a.Pairs(a.Out, "  API", d.file.APIURL, "  Files", d.file.EdgeURL, "  HTTPS", d.file.EdgeTLSURL, "  Certificate", d.certificate,
		"  Metrics", d.file.OpsURL+"/metrics", "  Token", d.file.Token, "  Console", d.console)
	program := os.Args[0] // as it was typed, so that the commands work in the same directory
	data := ""
	if d.flags.data != cmdline.DefaultData {
		data = " --data " + quote(d.flags.data)
	}
	if d.console != "" {
		a.Say("\nThe link to the console logs you in once, within 5 minutes; a new one:\n\n  %s", program+" console"+data)
	}
	a.Say("\nCommands to try, in another terminal:\n")
	commands, then := d.emptyCommands(program, data), program+" env list"+data
	if t, ok := d.sample(ctx); ok && len(t.ServingURLs.Latest) > 0 {
		commands, then = d.sampleCommands(ctx, t), program+" theme show "+sampleSlug+" --env sandbox --tokens"+data
	}
	for _, c := range commands {
		a.Say("  %s\n  %s\n", a.Styled("2", "# "+c[0]), c[1])
	}
	a.Say("Or with this program:\n\n  %s", then)
}

// sampleCommands are commands to copy that read, edit and publish the sample Theme.
func (d *dev) sampleCommands(ctx context.Context, t client.Theme) [][2]string {
	tokens := d.file.APIURL + "/environments/" + t.EnvironmentID + "/themes/" + t.ID + "/tokens"
	edit, etag := tokens, ""
	if set, err := d.client.Scope(t.EnvironmentID, t.ID).Tokens(ctx, "", client.ReadOptions{}); err == nil {
		etag = set.DraftETag()
	}
	if etag != "" {
		edit += "?etag=" + etag
	}
	body := `{"operations":[{"operation":"replace","path":"/palette/ocean/600/$value","value":"#7c3aed"}]}`
	return [][2]string{
		{"The sample Theme as a stylesheet", "curl " + quote(t.ServingURLs.Latest[0].URL)},
		{"The same for pages in light and in dark, whose Variant is " + sampleDark, "curl " + quote(t.ServingURLs.Latest[0].URL+"?modes=scheme")},
		{"Change its brand colour in the draft", "curl -X PATCH -H " + quote("@"+d.headerPath()) + " " + quote(edit) + " -d " + quote(body)},
		{"Publish the draft; then look at the stylesheet again", "curl -X POST -H " + quote("@"+d.headerPath()) + " " + quote(tokens+"/publish")},
	}
}

// emptyCommands are commands to copy without a sample Theme.
func (d *dev) emptyCommands(program, data string) [][2]string {
	themes := d.file.APIURL + "/environments/" + d.file.Environments["sandbox"] + "/themes"
	body := `{"slug":"acme","displayName":"Acme","integration":{"framework":"react","library":"plainCSS"}}`
	return [][2]string{
		{"The Environments", "curl -H " + quote("@"+d.headerPath()) + " " + quote(d.file.APIURL+"/environments")},
		{"Create a Theme", "curl -X POST -H " + quote("@"+d.headerPath()) + " " + quote(themes) + " -d " + quote(body)},
		{"Push and publish a DTCG file of your own", program + " push FILE --env sandbox --theme acme --publish" + data},
	}
}

// quote puts a word between quotes that every shell takes as it is.
func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
