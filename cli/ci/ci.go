// Package ci has the commands that continuous integration runs on token files: they judge the files of a pull request and
// tell it what these change, and push and publish those of the main branch.
package ci

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"example.com/livery/cli/account"
	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/client"
)

// Runner runs one command line of the program, which takes every setting from its arguments, and returns its exit code.
type Runner func(ctx context.Context, out, errOut io.Writer, args ...string) int

// Command returns livery ci.
func Command(s *account.Session, run Runner) *cobra.Command {
	ci := cmdline.Group("ci", "Judge and publish token files in GitHub Actions and GitLab CI")
	ci.AddCommand(reviewCommand(s, run), releaseCommand(s, run))
	return ci
}

// job is one run of livery ci.
type job struct {
	*account.Session
	run        Runner
	place      target.Target
	url, token string
	files      []string
	replace    bool
	create     bool
	loss       string
	work       string // directory for files that commands exchange
	client     *client.Client
}

// flags gives a command the flags that review and release share.
func (j *job) flags(cmd *cobra.Command) *cobra.Command {
	f := cmd.Flags()
	f.BoolVar(&j.replace, "replace", false, "remove tokens that the files do not have")
	f.BoolVar(&j.create, "create", false, "make the Theme, or the Variant, if it does not exist")
	f.StringVar(&j.loss, "loss", "fail", "what to do if more than 2 % of the tokens of the files would be lost, a `WORD`: fail or drop")
	return target.OfVariant(cmd, &j.place)
}

// start reads the settings of a job and calls do. The directory of the job is removed afterwards.
func (j *job) start(cmd *cobra.Command, args []string, do func(context.Context) error) error {
	if j.loss != "fail" && j.loss != "drop" {
		return term.UsageError("Valid values: fail, drop.", "--loss cannot be %q", j.loss)
	}
	for _, arg := range args {
		for line := range strings.Lines(arg) { // the action has a file a line
			if file := strings.TrimSpace(line); file != "" {
				j.files = append(j.files, file)
			}
		}
	}
	j.url, j.token = cmd.Flag("url").Value.String(), cmd.Flag("token").Value.String()
	var err error
	if j.work, err = os.MkdirTemp("", "livery-ci-"); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(j.work) }()
	if err = do(cmd.Context()); err != nil && onGitHub() {
		return term.ExitWith(j.report(err))
	}
	return err
}

// identify obtains the access token: that of the job if none is given.
func (j *job) identify(ctx context.Context) error {
	if j.url == "" {
		return term.UsageError("Set --url or LIVERY_URL.", "the address of the origin is missing")
	}
	if j.token == "" {
		token, err := identityOfJob(ctx, j.url)
		if err != nil {
			return err
		}
		j.token = token
		if onGitHub() {
			j.Say("::add-mask::%s", token)
		}
	}
	j.client = account.NewClient(j.url, j.token)
	return nil
}

// access returns the arguments that name the origin and the token.
func (j *job) access() []string { return []string{"--url", j.url, "--token", j.token} }

// at returns the arguments that name a place at the origin.
func (j *job) at(p target.Target) []string {
	args := append(j.access(), "--env", p.Env, "--theme", p.Theme)
	if p.Variant != "" {
		args = append(args, "--variant", p.Variant)
	}
	return args
}

// pushArgs returns the command line that pushes files to p and publishes them.
func (j *job) pushArgs(files []string, p target.Target, replace, create bool) []string {
	args := append(append([]string{"push"}, files...), j.at(p)...)
	args = append(args, "--publish", fmt.Sprintf("--replace=%t", replace), fmt.Sprintf("--create=%t", create))
	return append(args, "--loss", j.loss)
}

// quoted calls do with a writer whose text GitHub shows and obeys no line of, such as "::error::": token files are a stranger's.
func (j *job) quoted(do func(out io.Writer) int) int {
	if !onGitHub() {
		return do(j.Out)
	}
	word := rand.Text() + rand.Text()
	j.Say("::stop-commands::%s", word)
	code := do(j.Out)
	j.Say("\n::%s::", word) // on a line of its own, whatever came before
	return code
}

// show runs a command and prints what it says, quoted. The error is its exit code.
func (j *job) show(ctx context.Context, args ...string) error {
	return term.ExitWith(j.quoted(func(out io.Writer) int { return j.run(ctx, out, out, args...) }))
}

// report prints why something failed, quoted, and returns the exit code.
func (j *job) report(err error) int {
	var said bytes.Buffer
	app := *j.App
	app.Err = &said
	code := app.Report(err)
	if said.Len() > 0 {
		j.print(said.Bytes())
	}
	return code
}

// print prints a text, quoted.
func (j *job) print(text []byte) {
	j.quoted(func(out io.Writer) int {
		_, _ = out.Write(text) // Finish reports a fault of the output
		return 0
	})
}

// judge runs a command and returns what it prints and its exit code. Its complaint is printed. A command that could not judge
// prints nothing else; err is its exit code then.
func (j *job) judge(ctx context.Context, args ...string) (out []byte, code int, err error) {
	var printed, said bytes.Buffer
	code = j.run(ctx, &printed, &said, args...)
	if code != 0 {
		j.print(said.Bytes())
		if printed.Len() == 0 {
			err = term.ExitWith(code)
		}
	}
	return printed.Bytes(), code, err
}

func releaseCommand(s *account.Session, run Runner) *cobra.Command {
	j := &job{Session: s, run: run}
	var integrations []string
	var wait bool
	cmd := &cobra.Command{
		Use:   "release [FILE...]",
		Short: "Push and publish token files, and wait until an edge serves them",
		Long: "Pushes and publishes token files with the token of --token, or with the identity of the job, for which GitHub is\n" +
			"asked. An argument may name several files, one a line.",
		Example: "  livery ci release tokens/acme.json --env production --theme acme --replace\n" +
			"  livery ci release tokens/dark.json --env production --theme acme --variant dark --create",
		RunE: func(cmd *cobra.Command, args []string) error {
			return j.start(cmd, args, func(ctx context.Context) error {
				if err := j.identify(ctx); err != nil {
					return err
				}
				line := append(j.pushArgs(j.files, j.place, j.replace, j.create), fmt.Sprintf("--wait=%t", wait))
				for _, i := range integrations {
					line = append(line, "--integration", i)
				}
				return j.show(ctx, line...)
			})
		},
	}
	cmd.Flags().StringArrayVar(&integrations, "integration", nil, "`FRAMEWORK/LIBRARY` of the pages of a Theme that is made, such as react/plainCSS; may be repeated")
	cmd.Flags().BoolVar(&wait, "wait", true, "wait until an edge serves the version")
	return j.flags(cmd)
}
