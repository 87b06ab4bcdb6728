package tokens

import (
	"strings"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokens/changeset"
	"example.com/livery/client"
	"example.com/livery/intake/tree"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

const renameText = `Moves a token or a group of a Theme to another path in its draft, and replaces every alias to it. Variants follow when
the Theme is published.`

func (a *app) renameCommand() *cobra.Command {
	var p target.Target
	cmd := &cobra.Command{
		Use:     "rename OLD NEW",
		Short:   "Rename a token or a group of a Theme, with every alias to it",
		Long:    renameText,
		Example: "  livery rename color.brand color.accent --env sandbox --theme acme",
		Args:    cmdline.Args(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.rename(cmd, p, args[0], args[1])
		},
	}
	return a.JSONFlag(target.OfTheme(cmd, &p))
}

func (a *app) rename(cmd *cobra.Command, p target.Target, from, to string) error {
	d, err := a.readDraft(cmd, editFlags{Target: p})
	if err != nil {
		return err
	}
	wanted, aliases, err := renamed(d.document, from, to)
	if err != nil {
		return err
	}
	after, count, err := d.write(cmd.Context(), wanted, []record.Move{{From: changeset.Pointer(from), To: changeset.Pointer(to)}})
	if err != nil {
		return err
	}
	done := Result{ThemeID: d.Theme.ID, Operations: count, ETag: after.DraftETag()}
	return a.Show(done, func() {
		a.Say("%s is %s in the draft of Theme %s; %s changed with it.", from, to, d.Theme.Slug, term.Plural(aliases, "alias value"))
		for _, line := range retyped(d.set, after, from, to) {
			a.Say("%s", line)
		}
		a.Say("Publish it: livery publish --env %s --theme %s", d.Env.Slug, d.Theme.Slug)
	})
}

// renamed returns a document in which a token or group has another path, and the number of values whose aliases follow.
func renamed(document *jsontree.Node, from, to string) (after *jsontree.Node, aliases int, err error) {
	moved := document.Lookup(strings.Split(from, "."))
	switch {
	case moved == nil:
		return nil, 0, noToken(from, changeset.Paths(document), "")
	case document.Lookup(strings.Split(to, ".")) != nil:
		return nil, 0, term.Fail("Choose another name, or remove that one first.", "the Theme has %s already", to)
	case strings.HasPrefix(to, from+"."):
		return nil, 0, term.Fail("Choose a name outside it.", "%s cannot move into itself", from)
	}
	after = changeset.With(changeset.With(document, strings.Split(from, "."), nil), strings.Split(to, "."), moved)
	read, edits := dtcg.Read(after), map[string]*jsontree.Node{}
	for i := range read.Tokens {
		t := &read.Tokens[i]
		if value := rewrite(t.Value, from, to); value != t.Value {
			edits[t.Pointer().String()] = changeset.With(t.Node, []string{"$value"}, value)
		}
	}
	return changeset.Edited(after, edits), len(edits), nil
}

// movedPath returns the path after from was renamed to to.
func movedPath(path, from, to string) string {
	if path == from {
		return to
	}
	if rest, ok := strings.CutPrefix(path, from+"."); ok {
		return to + "." + rest
	}
	return path
}

// rewrite returns n with every alias to from, or to something below it, naming to instead; if
// there is none it returns n itself.
func rewrite(n *jsontree.Node, from, to string) *jsontree.Node {
	if !n.IsString() {
		return tree.MapChildren(n, func(_ string, value *jsontree.Node) *jsontree.Node { return rewrite(value, from, to) })
	}
	if text := strings.NewReplacer("{"+from+"}", "{"+to+"}", "{"+from+".", "{"+to+".").Replace(n.Text); text != n.Text {
		return jsontree.NewString(text)
	}
	return n
}

// retyped warns of renamed tokens whose type came from the group they left.
func retyped(before, after client.TokenSet, from, to string) (lines []string) {
	types := map[string]string{}
	for _, t := range after.Tokens {
		types[t.Path] = changeset.Text(t.ResolvedType)
	}
	for _, t := range before.Tokens {
		path := movedPath(t.Path, from, to)
		if path != t.Path && types[path] != changeset.Text(t.ResolvedType) {
			lines = append(lines, "Note: "+path+" was of type "+changeset.Text(t.ResolvedType)+" and is "+types[path]+" at its new path.")
		}
	}
	return lines
}
