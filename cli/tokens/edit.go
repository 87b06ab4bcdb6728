package tokens

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokens/changeset"
	"example.com/livery/client"
	"example.com/livery/origin/theming"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

// editFlags are the flags of edit.
type editFlags struct {
	target.Target
	create, unset, strict bool
}

const editText = `Sets the value of one token in the draft of a Theme, or overrides it in a Variant. VALUE is JSON if it is valid JSON,
and otherwise text: 4 is a number, "4" with the quotes, 16px and {color.brand} are text. In a Theme an object with $value
also sets its other members, such as $type and $description. With --unset tokens and groups of a Theme are removed, or the
overrides of a Variant, so that the Theme's values apply again.`

func (a *app) editCommand() *cobra.Command {
	var e editFlags
	cmd := &cobra.Command{
		Use:   "edit PATH VALUE | --unset PATH...",
		Short: "Set the value of one token in the draft, or remove tokens or overrides",
		Long:  editText,
		Example: "  livery edit color.brand '#0055aa' --env sandbox --theme acme\n" +
			"  livery edit space.xl '{\"$type\": \"dimension\", \"$value\": \"64px\"}' --env sandbox --theme acme --create\n" +
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
	f.BoolVar(&e.create, "create", false, "add the token if the Theme does not have it")
	f.BoolVar(&e.unset, "unset", false, "remove the overrides, or the tokens, at these paths")
	f.BoolVar(&e.strict, "strict", false, "refuse an edit that would leave something out of the served files; exit code 3 if it changes nothing")
	return a.JSONFlag(target.OfVariant(cmd, &e.Target))
}

// typedValue returns a value as a person types it: JSON if it is valid JSON, and otherwise text.
func typedValue(typed string) *jsontree.Node {
	if n, err := jsontree.Parse(typed); err == nil {
		return n
	}
	return jsontree.NewString(typed)
}

func (a *app) edit(cmd *cobra.Command, e editFlags, path, typed string) error {
	if reason := theming.CheckPath(path); reason != "" {
		return term.UsageError("Write it as color.brand.", "%q is not a valid path of a token: %s", path, reason)
	}
	d, err := a.readDraft(cmd, e)
	if err != nil {
		return err
	}
	value := typedValue(typed)
	if d.Variant != nil {
		if document := dtcg.Read(d.document); !e.create && document.Token(path) == nil {
			return noToken(path, changeset.Paths(d.document), " An override of a token that does not exist has no effect; to store it for later, use --create.")
		}
		return a.send(cmd.Context(), d, changeset.JoinFlat(d.before, jsontree.NewObject(jsontree.Member{Name: path, Value: value})), nil)
	}
	names := strings.Split(path, ".")
	token := d.document.Lookup(names)
	switch {
	case token != nil && !dtcg.IsToken(token):
		return term.Fail("Name a token in it: livery theme show --tokens lists them.", "%s is a group", path)
	case token == nil && !e.create:
		return noToken(path, changeset.Paths(d.document), " To add it, use --create.")
	case token == nil:
		token = jsontree.NewObject()
	}
	members := []jsontree.Member{{Name: "$value", Value: value}}
	if value.Find("$value") != nil {
		members = value.Members
	}
	for _, m := range members {
		token = changeset.With(token, []string{m.Name}, m.Value)
	}
	return a.send(cmd.Context(), d, changeset.With(d.document, names, token), nil)
}

// noToken is the failure that a Theme has no token at a path; it suggests the nearest.
func noToken(path string, paths []string, otherwise string) error {
	next := "See what there is with livery theme show --tokens."
	if near := term.Nearest(path, paths); near != "" {
		next = "Did you mean " + near + "?"
	}
	return term.Fail(next+otherwise, "the Theme has no token %s", path)
}

// draft is a Theme or Variant as it was read before an edit.
type draft struct {
	target.Resolved
	client   *client.Client
	strict   bool
	set      client.TokenSet
	document *jsontree.Node // of the Theme
	before   *jsontree.Node // the document, or the overrides of the Variant
}

func (a *app) readDraft(cmd *cobra.Command, e editFlags) (d draft, err error) {
	d.strict = e.strict
	if d.client, d.Resolved, err = a.Resolve(cmd, e.Target); err != nil {
		return d, err
	}
	d.set, d.document, err = changeset.CurrentDocument(cmd.Context(), d.client, d.Theme)
	if d.before = d.document; err == nil && d.Variant != nil {
		d.set, d.before, err = changeset.CurrentOverrides(cmd.Context(), d.client, d.Theme, d.Variant.ID)
	}
	return d, err
}

// send sends what makes a draft another document or other overrides, and tells what changes.
func (a *app) send(ctx context.Context, d draft, wanted *jsontree.Node, moves []record.Move) error {
	what, publish := "Theme "+d.Theme.Slug, "livery publish --env "+d.Env.Slug+" --theme "+d.Theme.Slug
	if d.Variant != nil {
		what, publish = "Variant "+d.Variant.Slug, publish+" --variant "+d.Variant.Slug
	}
	after, count, err := d.write(ctx, wanted, moves)
	if err != nil {
		return err
	}
	done := Result{ThemeID: d.Theme.ID, VariantID: d.VariantID(), Operations: count, ETag: after.DraftETag()}
	if d.Variant != nil {
		done.Changes = changeset.Overrides(d.before, wanted)
	} else {
		done.Changes = changeset.Documents(d.before, wanted, changeset.Renaming{})
	}
	err = a.Show(done, func() {
		changeset.Print(a.App, done.Changes)
		switch {
		case count == 0:
			a.Say("%s holds exactly this already.", what)
		case done.ETag == "":
			a.Say("%s has no draft: this is what is published.", what)
		default:
			a.Say("Publish it: %s", publish)
		}
	})
	if err == nil && d.strict && count == 0 {
		err = term.NothingToDo("%s holds exactly this already", what)
	}
	return err
}

// write sends the operations that make a draft what is wanted, if there are any.
func (d draft) write(ctx context.Context, wanted *jsontree.Node, moves []record.Move) (after client.TokenSet, count int, err error) {
	o := client.EditOptions{ETag: d.set.DraftETag(), Strict: d.strict}
	if d.Variant != nil {
		if operations := changeset.VariantOperations(d.before, wanted); len(operations) > 0 {
			after, err = d.client.EditVariantTokens(ctx, d.Env.ID, d.Theme.ID, d.Variant.ID, o, operations)
			return after, len(operations), err
		}
	} else if operations := changeset.ThemeOperations(d.before, wanted, moves); len(operations) > 0 {
		after, err = d.client.EditThemeTokens(ctx, d.Env.ID, d.Theme.ID, o, operations)
		return after, len(operations), err
	}
	return d.set, 0, nil
}

// unset removes overrides of a Variant, or tokens and groups of a Theme.
func (a *app) unset(cmd *cobra.Command, e editFlags, paths []string) error {
	if e.create {
		return term.UsageError("Leave one of them out.", "--unset removes, and --create adds")
	}
	d, err := a.readDraft(cmd, e)
	if err != nil {
		return err
	}
	wanted := d.before
	for _, path := range paths {
		names := strings.Split(path, ".")
		if d.Variant != nil {
			names = []string{path}
		}
		switch overridden := changeset.PathsOf(d.set); {
		case wanted.Lookup(names) != nil:
		case d.Variant == nil:
			return noToken(path, overridden, "")
		case term.Nearest(path, overridden) != "":
			return term.Fail("Did you mean "+term.Nearest(path, overridden)+"?", "Variant %s does not override %s", d.Variant.Slug, path)
		}
		wanted = changeset.With(wanted, names, nil)
	}
	return a.send(cmd.Context(), d, wanted, nil)
}
