package operate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/opsocket"
	"example.com/livery/cli/term"
	"example.com/livery/origin/operator"
)

func (a *app) teamsCommand() *cobra.Command {
	teams := cmdline.Group("teams", "Apply and show Teams, Environments and grants")
	teams.AddCommand(a.teamsApply(), a.teamsShow())
	return a.operatorFlags(teams)
}

const teamsText = `Makes the Teams, Environments, members and grants match the file, and prints what changed. Applying
it again changes nothing. Teams and Environments that the file does not name stay as they are.

  teams:
    - slug: acme
      plan: free              # free: 10 Variants a Theme, pro: 100
      members: [owner, designer]
      environments:
        - slug: sandbox
          displayName: Sandbox
          kind: sandbox       # sandbox, staging or production
          cacheLifetime: 2    # seconds
          description: null
          metadata: {}
          grants: {owner: admin, designer: editor}
        - slug: preview
          displayName: Previews
          kind: sandbox
          cacheLifetime: 2
          previewOf: sandbox  # every Theme here is a preview of one there, and served by the rules of that
          identities: none    # nobody is told who made a change; default full: editors and admins are

With a section issuers, tokens of OpenID Connect issuers are accepted too, of exactly those that it names. One that is
bound to a team reaches that Team alone, with the role that a claim names, or with those that environments names, in
these Environments alone; claims must keep out all others that use the same issuer. One without a team speaks for members by their subjects. The audience is URL/public/v1 of the origin.

  issuers:
    - name: github-main
      issuer: https://token.actions.githubusercontent.com
      jwks: https://token.actions.githubusercontent.com/.well-known/jwks    # or an absolute path on the machine of the origin
      team: acme
      claims: {repository: acme/tokens, ref: refs/heads/main}    # what a token must claim, all of it
      roleClaim: event_name    # its value is the role, or roles maps it
      roles: {push: editor}
    - name: github-pull-request
      issuer: https://token.actions.githubusercontent.com
      jwks: https://token.actions.githubusercontent.com/.well-known/jwks
      team: acme
      claims: {repository: acme/tokens, event_name: pull_request}
      environments: {sandbox: viewer, preview: editor}`

func (a *app) teamsApply() *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:     "apply FILE",
		Short:   "Make Teams, Environments and grants match a YAML file",
		Long:    teamsText,
		Example: "  livery teams apply teams.yaml --data .livery --dry-run",
		Args:    cmdline.Args(cobra.ExactArgs(1)),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.applyTeams(cmd, args[0], dryRun) },
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "print what would change, and change nothing")
	return a.JSONFlag(cmd)
}

func (a *app) applyTeams(cmd *cobra.Command, path string, dryRun bool) error {
	file, syntax, err := a.readTeams(path)
	if err != nil {
		return err
	}
	var done operator.Changes
	err = a.operator().Call(cmd.Context(), http.MethodPost, fmt.Sprintf("teams?dryRun=%t", dryRun), file, &done)
	if r, ok := errors.AsType[*opsocket.Refusal](err); ok && r.Status == http.StatusBadRequest {
		return teamsFailure(path, syntax, r.Messages)
	}
	if err != nil {
		return err
	}
	return a.Show(done, func() {
		for _, change := range done.Changes {
			a.Say("%s", change)
		}
		switch {
		case len(done.Changes) == 0:
			a.Say("Nothing changes: everything matches the file.")
		case dryRun:
			a.Say("Nothing is changed yet: this was a dry run.")
		}
	})
}

// readTeams reads a teams file strictly, and its syntax tree, which knows the lines.
func (a *app) readTeams(path string) (operator.TeamsFile, *ast.File, error) {
	var file operator.TeamsFile
	data, err := a.ReadFile(path)
	if err != nil {
		return file, nil, err
	}
	err = yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(&file)
	if errors.Is(err, io.EOF) || err == nil && file.Teams == nil && file.Issuers == nil {
		return file, nil, term.Fail("See livery teams apply --help for an example.", "%s holds no teams", path)
	}
	if err != nil {
		return file, nil, cmdline.YAMLFailure(path, err)
	}
	syntax, err := parser.ParseBytes(data, 0)
	if err != nil {
		return file, nil, cmdline.YAMLFailure(path, err)
	}
	return file, syntax, nil
}

// teamsFailure puts every fault that the origin found beside its line.
func teamsFailure(path string, syntax *ast.File, messages []string) error {
	lines := make([]string, len(messages))
	for i, message := range messages {
		lines[i] = path + ": " + message
		where, what, ok := strings.Cut(message, ": ")
		if line := lineOf(syntax, where); ok && line > 0 {
			lines[i] = fmt.Sprintf("%s:%d: %s: %s", path, line, lastName(where), what)
		}
	}
	return term.Fail("Fix the file and apply it again; nothing was changed.", "%s", strings.Join(lines, "; "))
}

// lineOf returns the line of a place such as "teams[0].environments[1].kind", or of what holds it
// if the file leaves it out; 0 if it is not such a place.
func lineOf(syntax *ast.File, place string) int {
	for place != "" {
		path, err := yaml.PathString("$." + place)
		if err != nil {
			return 0
		}
		if node, err := path.FilterFile(syntax); err == nil && node != nil && node.GetToken() != nil {
			return node.GetToken().Position.Line
		}
		place = place[:max(0, strings.LastIndexByte(place, '.'))]
	}
	return 0
}

func lastName(place string) string { return place[strings.LastIndexByte(place, '.')+1:] }

func (a *app) teamsShow() *cobra.Command {
	return a.JSONFlag(&cobra.Command{
		Use:     "show",
		Short:   "Print all Teams, Environments and grants as a teams file",
		Example: "  livery teams show --data .livery > teams.yaml",
		Args:    cmdline.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var file operator.TeamsFile
			if err := a.operator().Call(cmd.Context(), http.MethodGet, "teams", nil, &file); err != nil {
				return err
			}
			if a.JSON {
				return a.Show(file, nil)
			}
			text, err := yaml.MarshalWithOptions(file, yaml.IndentSequence(true))
			if err == nil {
				_, err = a.Out.Write(text)
			}
			return err
		},
	})
}
