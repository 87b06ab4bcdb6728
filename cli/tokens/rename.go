package tokens

import (
	"strings"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokens/changeset"
	"example.com/livery/cli/tokens/push"
	"example.com/livery/cli/tokens/tokentree"
	"example.com/livery/client"
	"example.com/livery/renderer/jsontree"
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
	c, f, err := a.Resolve(cmd, p)
	if err != nil {
		return err
	}
	set, document, err := tokentree.CurrentDocument(cmd.Context(), c, f.Theme)
	if err != nil {
		return err
	}
	operations, aliases, err := renaming(document, set, from, to)
	if err != nil {
		return err
	}
	after, err := c.EditThemeTokens(cmd.Context(), f.Env.ID, f.Theme.ID, client.EditOptions{ETag: set.DraftETag()}, operations)
	if err != nil {
		return err
	}
	done := push.Result{ThemeID: f.Theme.ID, Operations: len(operations), ETag: after.DraftETag()}
	return a.Show(done, func() {
		a.Say("%s is %s in the draft of Theme %s; %s changed with it.", from, to, f.Theme.Slug, term.Plural(aliases, "alias value"))
		for _, line := range retyped(set, after, from, to) {
			a.Say("%s", line)
		}
		a.Say("Publish it: livery publish --env %s --theme %s", f.Env.Slug, f.Theme.Slug)
	})
}

// renaming returns the operations that rename a token or group, and how many values they rewrite.
func renaming(document *jsontree.Node, set client.TokenSet, from, to string) (operations []client.Operation, aliases int, err error) {
	if err := checkRename(document, set, from, to); err != nil {
		return nil, 0, err
	}
	operations = missingGroups(document, to)
	operations = append(operations, client.Operation{Operation: "move", From: tokentree.Pointer(from), Path: tokentree.Pointer(to)})
	for _, t := range set.Tokens {
		value, err := tokentree.ParseValue(t.Path, t.Value)
		if err != nil {
			return nil, 0, err
		}
		if rewritten := rewrite(value, from, to); rewritten != value {
			aliases++
			path := tokentree.Pointer(movedPath(t.Path, from, to)) + "/$value"
			operations = append(operations, client.Operation{Operation: "replace", Path: path, Value: jsontree.Append(nil, rewritten)})
		}
	}
	return operations, aliases, nil
}

func checkRename(document *jsontree.Node, set client.TokenSet, from, to string) error {
	if document.Lookup(strings.Split(from, ".")) == nil {
		var paths []string
		for _, t := range set.Tokens {
			paths = append(paths, t.Path)
		}
		next := "See what there is with livery theme show --tokens."
		if near := term.Nearest(from, paths); near != "" {
			next = "Did you mean " + near + "?"
		}
		return term.Fail(next, "the Theme has no token and no group %s", from)
	}
	if document.Lookup(strings.Split(to, ".")) != nil {
		return term.Fail("Choose another name, or remove that one first.", "the Theme has %s already", to)
	}
	if strings.HasPrefix(to, from+".") {
		return term.Fail("Choose a name outside it.", "%s cannot move into itself", from)
	}
	return nil
}

// missingGroups returns the operations that make the groups above a path.
func missingGroups(document *jsontree.Node, path string) []client.Operation {
	var operations []client.Operation
	names := strings.Split(path, ".")
	for i := 1; i < len(names); i++ {
		if document.Lookup(names[:i]) == nil {
			above := jsontree.Pointer(names[:i]).String()
			operations = append(operations, client.Operation{Operation: "add", Path: above, Value: []byte("{}")})
		}
	}
	return operations
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
	switch n.Kind {
	case jsontree.String:
		text := strings.NewReplacer("{"+from+"}", "{"+to+"}", "{"+from+".", "{"+to+".").Replace(n.Text)
		if text != n.Text {
			return jsontree.NewString(text)
		}
	case jsontree.Array:
		items, same := make([]*jsontree.Node, len(n.Items())), true
		for i, item := range n.Items() {
			items[i] = rewrite(item, from, to)
			same = same && items[i] == item
		}
		if !same {
			return jsontree.NewArray(items...)
		}
	case jsontree.Object:
		members, same := make([]jsontree.Member, len(n.Members)), true
		for i, m := range n.Members {
			members[i] = jsontree.Member{Name: m.Name, Value: rewrite(m.Value, from, to)}
			same = same && members[i].Value == m.Value
		}
		if !same {
			return jsontree.NewObject(members...)
		}
	}
	return n
}

// retyped warns of renamed tokens whose type came from the group they left.
func retyped(before, after client.TokenSet, from, to string) []string {
	types := map[string]string{}
	for _, t := range after.Tokens {
		types[t.Path] = changeset.Text(t.ResolvedType)
	}
	var lines []string
	for _, t := range before.Tokens {
		path := movedPath(t.Path, from, to)
		if path != t.Path && types[path] != changeset.Text(t.ResolvedType) {
			lines = append(lines, "Note: "+path+" was of type "+changeset.Text(t.ResolvedType)+" and is "+types[path]+" at its new path.")
		}
	}
	return lines
}
