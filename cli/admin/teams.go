package admin

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/term"
	"example.com/livery/internal/yamlfile"
	"example.com/livery/origin/operator"
)

func (a *app) teamsCommand() *cobra.Command {
	teams := cmdline.Group("teams", "Apply and show Teams, Environments and grants")
	teams.AddCommand(a.teamsApply(), a.teamsShow())
	return a.operatorFlags(teams)
}

const teamsText = `Makes Teams, Environments, members and grants match the file, and prints what changed. What the file does not name stays.
A section issuers accepts tokens of OpenID Connect issuers: see /docs/operating.html of the origin.

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
          grants: {owner: admin, designer: editor}`

func (a *app) teamsApply() *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:     "apply FILE|-",
		Short:   "Make Teams, Environments and grants match a YAML file",
		Long:    teamsText,
		Example: "  livery teams apply teams.yaml --data .livery --dry-run\n  docker compose exec -T origin /livery teams apply - < teams.yaml",
		Args:    cmdline.Args(cobra.ExactArgs(1)),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.applyTeams(cmd, args[0], dryRun) },
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "print what would change, and change nothing")
	return a.JSONFlag(cmd)
}

func (a *app) applyTeams(cmd *cobra.Command, path string, dryRun bool) error {
	file, document, err := a.readTeams(path)
	if err != nil {
		return err
	}
	var done operator.Changes
	err = a.operator().Call(cmd.Context(), http.MethodPost, fmt.Sprintf("teams?dryRun=%t", dryRun), file, &done)
	if r, ok := errors.AsType[*Refusal](err); ok && r.Status == http.StatusBadRequest {
		return teamsFailure(path, document, r.Messages)
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

// readTeams reads a teams file, and the document that knows its lines.
func (a *app) readTeams(path string) (operator.TeamsFile, *yamlfile.Document, error) {
	var file operator.TeamsFile
	data, err := a.ReadFile(path)
	if err != nil {
		return file, nil, err
	}
	document, err := yamlfile.Parse(term.NameOf(path), data)
	if err == nil {
		err = document.Decode(&file)
	}
	if err == nil && file.Teams == nil && file.Issuers == nil {
		err = term.Fail("See livery teams apply --help for an example.", "%s holds no teams", term.NameOf(path))
	}
	return file, document, err
}

// teamsFailure adds the line to each fault that the origin found.
func teamsFailure(path string, document *yamlfile.Document, messages []string) error {
	lines := make([]string, len(messages))
	for i, message := range messages {
		lines[i] = term.NameOf(path) + ": " + message
		where, what, ok := strings.Cut(message, ": ")
		if line := document.Line(where); ok && line > 0 {
			lines[i] = fmt.Sprintf("%s:%d: %s: %s", term.NameOf(path), line, lastName(where), what)
		}
	}
	return term.Fail("Fix the file and apply it again; nothing was changed.", "%s", strings.Join(lines, "; "))
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
			text, err := yamlfile.Encode(file)
			if err == nil {
				_, err = a.Out.Write(text)
			}
			return err
		},
	})
}
