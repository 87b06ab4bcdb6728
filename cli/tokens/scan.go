package tokens

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokens/export"
	"example.com/livery/cli/tokens/scan"
	"example.com/livery/cli/tokens/source"
)

const scanText = `Reads stylesheets, scripts, components and templates, and lists the names of tokens in them that the Theme does not have,
with the nearest that it has, and the uses of deprecated tokens. A comment with livery-ignore excuses its line, or alone
on a line the next one. The exit code is 1 if there are unknown names, or files that cannot be read.`

// scanFlags are the flags of scan.
type scanFlags struct {
	target.Target
	source.Flags
	tokens []string // files
	format string
	scan.Options
}

func (a *app) scanCommand() *cobra.Command {
	var p scanFlags
	cmd := &cobra.Command{
		Use:   "scan [DIR|FILE...]",
		Short: "List names in source files that the Theme does not have",
		Long:  scanText,
		Example: "  livery scan src --tokens acme.tokens.json\n" +
			"  livery scan src --env sandbox --theme acme --unused\n" +
			"  livery scan --tokens acme.tokens.json --format sarif > livery.sarif",
		RunE: func(cmd *cobra.Command, args []string) error { return a.scan(cmd, p, args) },
	}
	f := cmd.Flags()
	f.StringArrayVar(&p.tokens, "tokens", nil, "`FILE` of tokens, instead of --theme; may be repeated")
	f.BoolVar(&p.Unused, "unused", false, "list the tokens that no file names")
	f.BoolVar(&p.Strict, "strict", false, "refuse every custom property that neither the tokens nor the files declare, deprecated tokens, and those that --unused lists")
	formatFlag(cmd, &p.format, "sarif, which GitHub and editors show beside the lines")
	f.StringVar(&p.Theme, "theme", "", "`THEME`, slug or id")
	p.Flags.Add(cmd)
	return a.JSONFlag(target.InEnvironment(cmd, &p.Target))
}

func (a *app) scan(cmd *cobra.Command, p scanFlags, args []string) error {
	if err := a.checkFormat(p.format, "sarif"); err != nil {
		return err
	}
	if p.Theme == "" && len(p.tokens) == 0 {
		return term.UsageError("See "+cmd.CommandPath()+" --help.", "%s needs --theme, or token files with --tokens", cmd.CommandPath())
	}
	s, err := a.sheetFor(cmd, p)
	if err != nil {
		return err
	}
	if len(s.Tokens) == 0 {
		return term.Fail("See livery check.", "there is nothing to look for: tokens.css declares no token")
	}
	scanner := scan.New(s, p.Options)
	if len(args) == 0 {
		args = []string{"."}
	}
	for _, arg := range args {
		if err := scanPath(scanner, arg); err != nil {
			return term.Fail("Name a folder or a file of sources.", "%s cannot be read: %v", arg, err)
		}
	}
	r := scanner.Result()
	if err := a.showScan(p, r); err != nil {
		return err
	}
	return judgeScan(p, r)
}

// sheetFor returns the tokens to look for: those of files, or of a Theme as it is now.
func (a *app) sheetFor(cmd *cobra.Command, p scanFlags) (*export.Sheet, error) {
	if len(p.tokens) > 0 {
		if p.Theme != "" {
			return nil, term.UsageError("Leave out --theme or --tokens.", "%s takes token files or a Theme", cmd.CommandPath())
		}
		read, err := source.Read(a.App, p.tokens, p.Flags)
		if err != nil {
			return nil, err
		}
		s := export.Read(titleOf(p.tokens), read.Theme.Tree, nil, "")
		for i := range s.Tokens {
			s.Tokens[i].Location = read.ThemeLocation(s.Tokens[i].Path)
		}
		return s, nil
	}
	c, f, err := a.Resolve(cmd, p.Target)
	if err != nil {
		return nil, err
	}
	return a.sheet(cmd.Context(), c, f, 0)
}

// scanPath adds a folder or a file. What the .gitignore of the repository around it names is left out.
func scanPath(s *scan.Scanner, arg string) error {
	start, err := filepath.Abs(arg)
	if err != nil {
		return err
	}
	root := repositoryOf(start)
	inside, err := filepath.Rel(root, start)
	if err != nil {
		return err
	}
	return s.Add(os.DirFS(root), filepath.ToSlash(inside), func(name string) string {
		below, err := filepath.Rel(inside, filepath.FromSlash(name))
		if err != nil {
			return name
		}
		return filepath.ToSlash(filepath.Join(arg, below))
	})
}

// repositoryOf returns the folder around a path that holds .git, or else the folder that the path is or stands in.
func repositoryOf(path string) string {
	for dir := path; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return path
	}
	return filepath.Dir(path)
}

// scanLabels are the words and styles of the rules on a terminal.
var scanLabels = map[string][2]string{
	scan.Unknown: {"31", "unknown"}, scan.Deprecated: {"33", "deprecated"}, scan.Unused: {"33", "unused"},
}

// showScan prints what was found in the form that the flags ask for.
func (a *app) showScan(p scanFlags, r *scan.Result) error {
	for _, s := range r.Skipped {
		if s.Failed {
			a.Warn("Note: %s cannot be read: %s", s.File, s.Reason)
		}
	}
	if p.format == "sarif" {
		log, err := r.SARIF()
		if err == nil {
			_, err = a.Out.Write(log)
		}
		return err
	}
	return a.Show(r, func() {
		for _, f := range r.Findings {
			label := scanLabels[f.Rule]
			a.Say("%s%s  %s", a.placeOf(f), a.Styled(label[0], label[1]), f.Message)
		}
		used := 0
		for _, t := range r.Tokens {
			used += min(t.Uses, 1)
		}
		a.Say("%s in %s: %s of %d of %s.", term.Plural(r.Lines, "line"), term.Plural(r.Files, "file"),
			term.Plural(r.Uses, "use"), used, term.Plural(len(r.Tokens), "token"))
		if r.Foreign > 0 {
			a.Say("%s of other libraries; --strict refuses them.", term.Plural(r.Foreign, "name"))
		}
	})
}

// placeOf returns the place of a finding as editors read it, or nothing.
func (a *app) placeOf(f scan.Finding) term.Escaped {
	switch {
	case f.File == "":
		return ""
	case f.Column == 0:
		return a.Styled("1", f.File) + ":" + term.Cell(f.Line) + ":  "
	}
	return a.Styled("1", f.File) + ":" + term.Cell(f.Line) + ":" + term.Cell(f.Column) + ":  "
}

// judgeScan returns why a scan fails, or nil.
func judgeScan(p scanFlags, r *scan.Result) error {
	unknown, refused := r.Count(scan.Unknown), 0
	if p.Strict {
		refused = r.Count(scan.Deprecated) + r.Count(scan.Unused)
	}
	unread := 0
	for _, s := range r.Skipped {
		if s.Failed {
			unread++
		}
	}
	switch {
	case unknown > 0:
		return term.Fail("Correct them, or excuse a line with a comment: livery-ignore.", "%s", term.Plural(unknown, "unknown name"))
	case refused > 0:
		return term.Fail("Replace what is deprecated; unset what is not used.", "%s of deprecated or unused tokens", term.Plural(refused, "finding"))
	case unread > 0:
		return term.Fail("Let this user read them, or name other folders.", "%s could not be read", term.Plural(unread, "file"))
	}
	return nil
}
