package tokens

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokendiff"
	"example.com/livery/cli/tokens/changeset"
	"example.com/livery/cli/tokens/push"
	"example.com/livery/cli/tokens/tokentree"
	"example.com/livery/cli/tokens/validate"
	"example.com/livery/client"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// editFlags are the flags of edit.
type editFlags struct {
	target.Target
	typ, description string
	add              bool
	unset            bool
	strict           bool
}

const editText = `Sets the value of one token in the draft of a Theme, or overrides it in a Variant. VALUE is JSON if it is valid JSON,
and otherwise text: 4 is a number, "4" with the quotes, 16px and {color.brand} are text. With --unset tokens and groups
of a Theme are removed, or the overrides of a Variant, so that the Theme's values apply again.`

func (a *app) editCommand() *cobra.Command {
	var e editFlags
	cmd := &cobra.Command{
		Use:   "edit PATH VALUE | --unset PATH...",
		Short: "Set the value of one token in the draft, or remove tokens or overrides",
		Long:  editText,
		Example: "  livery edit color.brand '#0055aa' --env sandbox --theme acme\n" +
			"  livery edit space.xl 64px --env sandbox --theme acme --add --type dimension\n" +
			"  livery edit --unset color.brand --env sandbox --theme acme --variant dark",
		Args: cmdline.Args(func(cmd *cobra.Command, args []string) error {
			if e.unset {
				return cobra.MinimumNArgs(1)(cmd, args)
			}
			return cobra.ExactArgs(2)(cmd, args)
		}),
		RunE: func(cmd *cobra.Command, args []string) error {
			if e.unset {
				return a.unset(cmd, e, args)
			}
			return a.edit(cmd, e, args[0], args[1])
		},
	}
	f := cmd.Flags()
	f.StringVar(&e.typ, "type", "", "`TYPE` of the token; not with --variant, because the Theme sets the type")
	f.StringVar(&e.description, "description", "", "`TEXT` that describes the token")
	f.BoolVar(&e.add, "add", false, "add the token if the Theme does not have it")
	f.BoolVar(&e.unset, "unset", false, "remove the overrides, or the tokens, at these paths")
	f.BoolVar(&e.strict, "strict", false, "refuse an edit that would leave something out of the served files; exit code 3 if it changes nothing")
	return a.JSONFlag(target.OfVariant(cmd, &e.Target))
}

// typedValue is the JSON of a value as a person types it.
func typedValue(typed string) json.RawMessage {
	if n, err := jsontree.Parse(typed); err == nil {
		return jsontree.Append(nil, n)
	}
	return jsontree.AppendString(nil, typed)
}

func (a *app) edit(cmd *cobra.Command, e editFlags, path, typed string) error {
	if reason := validate.PathFault(path); reason != "" {
		return term.UsageError("Write it as color.brand.", "%q is not a valid path of a token: %s", path, reason)
	}
	if e.Variant != "" && (e.typ != "" || e.description != "") {
		return term.UsageError("Leave --variant out to change the Theme.", "a Variant overrides values, and neither types nor descriptions")
	}
	c, f, err := a.Resolve(cmd, e.Target)
	if err != nil {
		return err
	}
	value := typedValue(typed)
	if f.Variant != nil {
		return a.editVariant(cmd.Context(), c, f, e, path, value)
	}
	return a.editTheme(cmd.Context(), c, f, e, path, value)
}

func (a *app) editTheme(ctx context.Context, c *client.Client, f target.Resolved, e editFlags, path string, value json.RawMessage) error {
	set, document, err := tokentree.CurrentDocument(ctx, c, f.Theme)
	if err != nil {
		return err
	}
	operations, err := editing(document, e, path, value)
	if err != nil {
		return err
	}
	return a.changeTheme(ctx, c, f, e, beforeEdit{set, document}, operations)
}

// beforeEdit is the state of a Theme before an edit of it.
type beforeEdit struct {
	set      client.TokenSet
	document *jsontree.Node
}

// changeTheme sends operations on top of what stands in a Theme, and tells what they changed.
func (a *app) changeTheme(ctx context.Context, c *client.Client, f target.Resolved, e editFlags, before beforeEdit, operations []client.Operation) error {
	options := client.EditOptions{ETag: before.set.DraftETag(), Strict: e.strict}
	after, err := c.EditThemeTokens(ctx, f.Env.ID, f.Theme.ID, options, operations)
	if err != nil {
		return err
	}
	_, document, err := tokentree.CurrentDocument(ctx, c, f.Theme)
	if err != nil {
		return err
	}
	return a.edited(f, e, before.set, after, len(operations), changeset.Documents(before.document, document, tokendiff.Renaming{}))
}

// editing returns the operations that give a token of a document a value.
func editing(document *jsontree.Node, e editFlags, path string, value json.RawMessage) ([]client.Operation, error) {
	names := strings.Split(path, ".")
	at := tokentree.Pointer(path)
	n := document.Lookup(names)
	switch {
	case n != nil && !dtcg.IsToken(n):
		return nil, term.Fail("Name a token in it: livery theme show --tokens lists them.", "%s is a group", path)
	case n == nil && !e.add:
		return nil, noToken(path, tokentree.Paths(document), " To add it, use --add.")
	case n == nil:
		return append(missingGroups(document, path), client.Operation{Operation: "add", Path: at, Value: newToken(e, value)}), nil
	}
	operations := []client.Operation{{Operation: "replace", Path: at + "/$value", Value: value}}
	if e.typ != "" {
		operations = append([]client.Operation{{Operation: "add", Path: at + "/$type", Value: jsontree.AppendString(nil, e.typ)}}, operations...)
	}
	if e.description != "" {
		operations = append(operations, client.Operation{Operation: "add", Path: at + "/$description", Value: jsontree.AppendString(nil, e.description)})
	}
	return operations, nil
}

func newToken(e editFlags, value json.RawMessage) json.RawMessage {
	text := []byte("{")
	if e.typ != "" {
		text = append(jsontree.AppendString(append(text, `"$type":`...), e.typ), ',')
	}
	text = append(append(text, `"$value":`...), value...)
	if e.description != "" {
		text = jsontree.AppendString(append(text, `,"$description":`...), e.description)
	}
	return append(text, '}')
}

// noToken is the failure that a Theme has no token at a path; it suggests the nearest.
func noToken(path string, paths []string, otherwise string) error {
	next := "See what there is with livery theme show --tokens."
	if near := term.Nearest(path, paths); near != "" {
		next = "Did you mean " + near + "?"
	}
	return term.Fail(next+otherwise, "the Theme has no token %s", path)
}

func (a *app) editVariant(ctx context.Context, c *client.Client, f target.Resolved, e editFlags, path string, value json.RawMessage) error {
	theme, err := c.ThemeTokens(ctx, f.Env.ID, f.Theme.ID, client.ReadOptions{})
	if err != nil {
		return err
	}
	if !e.add && !slices.ContainsFunc(theme.Tokens, func(t client.Token) bool { return t.Path == path }) {
		return noToken(path, tokentree.PathsOf(theme), " An override of a token that does not exist has no effect; to store it for later, use --add.")
	}
	operations := []client.VariantOperation{{Operation: "set", Path: path, Value: value}}
	return a.changeOverrides(ctx, c, f, e, operations)
}

func (a *app) changeOverrides(ctx context.Context, c *client.Client, f target.Resolved, e editFlags, operations []client.VariantOperation) error {
	set, err := c.VariantTokens(ctx, f.Env.ID, f.Theme.ID, f.Variant.ID, client.ReadOptions{})
	if err != nil {
		return err
	}
	options := client.EditOptions{ETag: set.DraftETag(), Strict: e.strict}
	after, err := c.EditVariantTokens(ctx, f.Env.ID, f.Theme.ID, f.Variant.ID, options, operations)
	if err != nil {
		return err
	}
	old, err := tokentree.FlatMap(set)
	if err != nil {
		return err
	}
	young, err := tokentree.FlatMap(after)
	if err != nil {
		return err
	}
	return a.edited(f, e, set, after, len(operations), changeset.Overrides(old, young))
}

// edited says what an edit changed.
func (a *app) edited(f target.Resolved, e editFlags, before, after client.TokenSet, operations int, changes []changeset.Change) error {
	done := push.Result{ThemeID: f.Theme.ID, Operations: operations, Changes: changes, ETag: after.DraftETag()}
	what, publish := "Theme "+f.Theme.Slug, "livery publish --env "+f.Env.Slug+" --theme "+f.Theme.Slug
	if f.Variant != nil {
		done.VariantID = f.Variant.ID
		what, publish = "Variant "+f.Variant.Slug, publish+" --variant "+f.Variant.Slug
	}
	err := a.Show(done, func() {
		changeset.Print(a.App, changes, true)
		switch {
		case len(changes) == 0 && before.DraftETag() == after.DraftETag():
			a.Say("%s holds exactly this already.", what)
		case done.ETag == "":
			a.Say("%s has no draft: this is what is published.", what)
		default:
			a.Say("Publish it: %s", publish)
		}
	})
	if err == nil && e.strict && len(changes) == 0 {
		err = term.NothingToDo("%s holds exactly this already", what)
	}
	return err
}

// unset removes overrides of a Variant, or tokens and groups of a Theme.
func (a *app) unset(cmd *cobra.Command, e editFlags, paths []string) error {
	if e.typ != "" || e.description != "" || e.add {
		return term.UsageError("Leave them out.", "--unset takes neither --type, --description nor --add")
	}
	c, f, err := a.Resolve(cmd, e.Target)
	if err != nil {
		return err
	}
	if f.Variant == nil {
		return a.removeTokens(cmd.Context(), c, f, e, paths)
	}
	set, err := c.VariantTokens(cmd.Context(), f.Env.ID, f.Theme.ID, f.Variant.ID, client.ReadOptions{})
	if err != nil {
		return err
	}
	overridden := tokentree.PathsOf(set)
	var operations []client.VariantOperation
	for _, path := range paths {
		if !slices.Contains(overridden, path) {
			if near := term.Nearest(path, overridden); near != "" {
				return term.Fail("Did you mean "+near+"?", "Variant %s does not override %s", f.Variant.Slug, path)
			}
		}
		operations = append(operations, client.VariantOperation{Operation: "unset", Path: path})
	}
	return a.changeOverrides(cmd.Context(), c, f, e, operations)
}

// removeTokens takes tokens and groups from the draft of a Theme.
func (a *app) removeTokens(ctx context.Context, c *client.Client, f target.Resolved, e editFlags, paths []string) error {
	set, document, err := tokentree.CurrentDocument(ctx, c, f.Theme)
	if err != nil {
		return err
	}
	var operations []client.Operation
	for _, path := range paths {
		if document.Lookup(strings.Split(path, ".")) == nil {
			return noToken(path, tokentree.Paths(document), "")
		}
		operations = append(operations, client.Operation{Operation: "remove", Path: tokentree.Pointer(path)})
	}
	if named := stillNamed(set, paths); len(named) > 0 {
		if e.strict {
			return term.Fail("Point them to another token first.", "aliases still name it: %s", term.ShortList(named))
		}
		a.Warn("Note: the served files leave out tokens whose aliases name it: %s", term.ShortList(named))
	}
	return a.changeTheme(ctx, c, f, e, beforeEdit{set, document}, operations)
}

// stillNamed lists the tokens outside paths with an alias into them.
func stillNamed(set client.TokenSet, paths []string) []string {
	inside := func(path string) bool {
		return slices.ContainsFunc(paths, func(p string) bool { return path == p || strings.HasPrefix(path, p+".") })
	}
	var named []string
	for _, t := range set.Tokens {
		if inside(t.Path) {
			continue
		}
		for _, p := range paths {
			if value := string(t.Value); strings.Contains(value, "{"+p+"}") || strings.Contains(value, "{"+p+".") {
				named = append(named, fmt.Sprintf("%s (in %s)", p, t.Path))
			}
		}
	}
	return named
}
