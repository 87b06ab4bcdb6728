package ci

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"example.com/livery/cli/account"
	"example.com/livery/cli/escape"
	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
)

// review is one run of livery ci review.
type review struct {
	*job
	failOnBreaking bool
	page           string // file of the page of the tokens; empty: none
	previewEnv     string // Environment of previews; empty: none

	event   event
	isNew   bool // a release would make the Theme or the Variant
	status  int  // exit code
	faulty  bool // the files have faults
	comment bytes.Buffer
}

func reviewCommand(s *account.Session, run Runner) *cobra.Command {
	r := &review{job: &job{Session: s, run: run}}
	cmd := &cobra.Command{
		Use:   "review [FILE...]",
		Short: "Judge token files and tell a pull request what they change",
		Long: "Judges token files as a push would merge them, writes one comment on the pull request and an annotation for each\n" +
			"fault, and sends nothing to the Theme. The exit code is 1 if the files have faults. In a job of a closed pull request\n" +
			"it deletes the previews of closed ones instead. A fork has no identity: its files are judged alone.",
		Example: "  livery ci review tokens/acme.json --env production --theme acme --replace\n" +
			"  livery ci review tokens/acme.json --env production --theme acme --preview-env preview --fail-on-breaking",
		RunE: func(cmd *cobra.Command, args []string) error { return r.start(cmd, args, r.work) },
	}
	f := cmd.Flags()
	f.BoolVar(&r.failOnBreaking, "fail-on-breaking", false, "end with exit code 1 if the change can break a consumer")
	f.StringVar(&r.page, "out", "", "`FILE` to write a page of the tokens to (default: none)")
	f.StringVar(&r.previewEnv, "preview-env", "", "`ENVIRONMENT` of previews, slug or id, in which to publish the files until the pull request is closed (default: none)")
	return r.flags(cmd)
}

func (r *review) work(ctx context.Context) (err error) {
	if r.event, err = readEvent(); err != nil {
		return fmt.Errorf("read the event of the job: %w", err)
	}
	if !hasIdentity(r.token) && r.event.isFork() {
		if r.event.isClosed() {
			return nil
		}
		return r.reviewFork(ctx)
	}
	if err := r.identify(ctx); err != nil {
		return err
	}
	if r.event.isClosed() {
		return r.closePreviews(ctx)
	}
	return r.review(ctx)
}

// review judges the files and tells the faults and the changes.
func (r *review) review(ctx context.Context) error {
	if err := r.findTarget(ctx); err != nil {
		return err
	}
	checkArgs := r.checkArgs()
	faults, code, err := r.judge(ctx, append(checkArgs, "--format", "markdown")...)
	if err != nil {
		return err
	}
	r.status, r.faulty = code, code != 0
	if onGitHub() {
		var annotations bytes.Buffer
		r.run(ctx, &annotations, io.Discard, append(checkArgs, "--format", "github")...)
		_, _ = r.Out.Write(annotations.Bytes()) // Finish reports a fault of the output
	}
	if r.isNew {
		fmt.Fprintf(&r.comment, "### Livery: %s is new\n\nIt does not exist in %s yet: a push to the default branch makes it of these files.\n\n",
			escape.Code(r.name()), escape.Code(r.place.Env))
	} else {
		args := append([]string{"diff"}, r.access()...) // of livery.yaml
		if len(r.files) > 0 {
			args = append(append([]string{"diff"}, r.files...), r.at(r.place)...)
		}
		changes, code, err := r.judge(ctx, append(args, "--format", "markdown", fmt.Sprintf("--replace=%t", r.replace), fmt.Sprintf("--fail-on-breaking=%t", r.failOnBreaking))...)
		if err != nil {
			return err
		}
		r.status = cmp.Or(r.status, code)
		r.comment.Write(changes)
	}
	r.comment.Write(faults)
	if err := errors.Join(r.drawPage(ctx), r.preview(ctx)); err != nil {
		return err
	}
	r.print(r.comment.Bytes())
	if f, ok := forgeOf(r.event); ok {
		mark := fmt.Sprintf("<!-- livery %s %s %s -->", r.place.Env, r.place.Theme, r.place.Variant)
		if err := f.write(ctx, r.comment.String(), mark); err != nil {
			return err
		}
	}
	return term.ExitWith(r.status)
}

// name returns what the files are pushed to.
func (r *review) name() string { return cmp.Or(r.place.Variant, r.place.Theme) }

// findTarget looks up the Theme or the Variant. One that does not exist is new if a release would make it.
func (r *review) findTarget(ctx context.Context) error {
	_, err := target.Lookup(ctx, r.client, r.place)
	kind := "Theme"
	if r.place.Variant != "" {
		kind = "Variant"
	}
	if missing, ok := errors.AsType[*target.Missing](err); ok && r.create && missing.Kind == kind {
		r.isNew = true
		return nil
	}
	return err
}

// checkArgs returns the command line that judges the files: over what exists, or alone if nothing of it stays.
func (r *review) checkArgs() []string {
	args := append([]string{"check"}, r.files...)
	if len(r.files) == 0 || r.place.Variant == "" && (r.isNew || r.replace) {
		return args
	}
	return append(args, r.at(r.place)...)
}

// pull writes the current tokens of a place to a file and returns its path.
func (r *review) pull(ctx context.Context, p target.Target, name string) (string, error) {
	path := filepath.Join(r.job.work, name)
	return path, r.show(ctx, append(append([]string{"pull"}, r.at(p)...), "--out", path)...)
}

// reviewFork judges the files of a fork alone, and prints the judgement in the log and the summary of the job: GitHub gives
// the pull request of a fork neither an identity nor a token that may write a comment.
func (r *review) reviewFork(ctx context.Context) error {
	code := 0
	fmt.Fprintf(&r.comment, "### Livery: %s\n\nThis pull request is of a fork, whose jobs have no identity here. So its files were judged alone: there is no\n"+
		"comparison, and no preview.\n", escape.Code(r.name()))
	if r.place.Variant == "" {
		faults, failed, err := r.judge(ctx, append(append([]string{"check"}, r.files...), "--format", "markdown")...)
		if err != nil {
			return err
		}
		code = failed
		r.comment.Write(faults)
	}
	r.print(r.comment.Bytes())
	return cmp.Or(appendTo(os.Getenv("GITHUB_STEP_SUMMARY"), r.comment.Bytes()), term.ExitWith(code))
}

// drawPage writes the page of the tokens, which the workflow keeps as an artifact. A Variant's overrides have none.
func (r *review) drawPage(ctx context.Context) error {
	if r.page == "" || r.place.Variant != "" {
		return nil
	}
	args := []string{"preview"}
	for _, file := range r.files {
		if !filepath.IsAbs(file) {
			file = "./" + file // tokens.json alone would be the served file of that name
		}
		args = append(args, file)
	}
	if err := r.show(ctx, append(args, "--out", r.page)...); err != nil {
		return err
	}
	if run := os.Getenv("GITHUB_RUN_ID"); run != "" {
		fmt.Fprintf(&r.comment, "\nThe page of these files is an artifact of [this run](%s/%s/actions/runs/%s#artifacts).\n",
			os.Getenv("GITHUB_SERVER_URL"), os.Getenv("GITHUB_REPOSITORY"), run)
	}
	return nil
}

// appendTo appends to a file of the job, if it has one.
func appendTo(path string, text []byte) error {
	if path == "" {
		return nil
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
}
