package push

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"example.com/livery/cli/localfile"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokenfile"
	"example.com/livery/cli/tokens/designsystem"
	"example.com/livery/cli/tokens/source"
	"example.com/livery/internal/yamlfile"
)

// planName is the file in which push --variants auto keeps what it decided, in the working directory.
const planName = source.PlanName

// planFile is what a push of a design system decided, for the next time.
type planFile struct {
	Files       []string      `json:"files"`
	Environment string        `json:"environment,omitempty"`
	Theme       string        `json:"theme"`
	Defaults    []planVariant `json:"defaults,omitempty"` // the modes that are the Theme itself
	Variants    []planVariant `json:"variants"`

	Modes *[]designsystem.ThemeMode `json:"modes,omitempty"` // of the Theme; nil: not decided
}

// planVariant says which Variant a mode is.
type planVariant struct {
	Dimension string `json:"dimension,omitempty"`
	Mode      string `json:"mode"`
	Slug      string `json:"slug,omitempty"`
	Skip      bool   `json:"skip,omitempty"` // the mode is not pushed
}

const planHead = `# Which Variant each mode of the token files is: written by livery push --variants auto, and read by the next
# livery push in this folder. defaults are the modes that are the Theme itself. Change a slug before its Variant is made;
# skip: true leaves a mode out. modes is the list of the Theme's modes that the push sets; after a change of your own push
# with --modes replace.
`

// readPlan reads the plan of this folder; nil if it has none.
func readPlan() (*planFile, error) {
	text, err := os.ReadFile(planName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if !source.IsInside(".", planName) {
		return nil, term.Fail("Replace the link by the file.", "%s is a link that leads out of this folder", planName)
	}
	if err != nil {
		return nil, term.Fail("Make it readable, or remove it.", "%s cannot be read: %s", planName, localfile.Reason(err))
	}
	var p planFile
	if err := yamlfile.Decode(planName, text, &p); err != nil {
		return nil, err
	}
	if faults := p.faults(); len(faults) > 0 {
		f := term.Fail("Fix them, or remove the file to have it written anew.", "%s is not valid:", planName)
		f.Faults = faults
		return nil, f
	}
	return &p, nil
}

// slugForm is the grammar of slugs at the API.
var slugForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// faults says what is wrong with the Variants of a plan: the API would refuse it, or one would take the place of
// another.
func (p *planFile) faults() (faults []string) {
	modes, slugs := map[[2]string]bool{}, map[string]string{}
	for _, v := range p.Variants {
		name, mode := label(v.Dimension, v.Mode), [2]string{v.Dimension, v.Mode}
		if modes[mode] {
			faults = append(faults, name+" stands there twice")
		}
		modes[mode] = true
		switch other, taken := slugs[v.Slug]; {
		case v.Slug == "" || v.Skip:
		case !slugForm.MatchString(v.Slug):
			faults = append(faults, fmt.Sprintf("%s: the slug %q: 1 to 64 letters, digits, -, _ and ., the first a letter or digit", name, v.Slug))
		case taken:
			faults = append(faults, fmt.Sprintf("%s and %s have one slug, %s", other, name, v.Slug))
		default:
			slugs[v.Slug] = name
		}
	}
	return faults
}

// defaultsOf returns defaultOf of each dimension of the files.
func (p *planFile) defaultsOf(all []tokenfile.Dimension) (modes []string) {
	p.follow(all)
	for _, d := range all {
		modes = append(modes, p.defaultOf(d))
	}
	return modes
}

// follow gives a dimension of the plan that the files do not have the name of one that the plan does not have, if this
// has its default and another mode of it: files of others that join a folder, for example, give it the folder's name.
func (p *planFile) follow(all []tokenfile.Dimension) {
	if p == nil {
		return
	}
	respell(p.Defaults, all)
	respell(p.Variants, all)
	for i, old := range p.Defaults {
		isOld := func(d tokenfile.Dimension) bool { return d.Name == old.Dimension }
		isNew := func(d tokenfile.Dimension) bool {
			isOf := func(v planVariant) bool { return v.Dimension == d.Name }
			isMode := func(v planVariant) bool { return v.Dimension == old.Dimension && slices.Contains(d.Modes, v.Mode) }
			return !slices.ContainsFunc(slices.Concat(p.Defaults, p.Variants), isOf) && isMode(old) && slices.ContainsFunc(p.Variants, isMode)
		}
		at := slices.IndexFunc(all, isNew)
		if at < 0 || slices.ContainsFunc(all, isOld) {
			continue
		}
		p.Defaults[i].Dimension = all[at].Name
		for j := range p.Variants {
			if p.Variants[j].Dimension == old.Dimension {
				p.Variants[j].Dimension = all[at].Name
			}
		}
	}
}

// respell gives the dimensions of a plan the names that the files have for them, of which letter case and blanks around
// them may be others.
func respell(list []planVariant, all []tokenfile.Dimension) {
	for i, v := range list {
		isIt := func(d tokenfile.Dimension) bool { return d.Name == v.Dimension }
		at := slices.IndexFunc(all, func(d tokenfile.Dimension) bool { return tokenfile.IsOneName(d.Name, v.Dimension) })
		isThere := func(other planVariant) bool { return other.Dimension == all[at].Name && other.Mode == v.Mode }
		if at >= 0 && !slices.ContainsFunc(all, isIt) && !slices.ContainsFunc(list, isThere) {
			list[i].Dimension = all[at].Name
		}
	}
}

// defaultOf returns the mode of a dimension that is the Theme itself, or nothing. A plan of before these were kept has a
// Variant for each of the others.
func (p *planFile) defaultOf(d tokenfile.Dimension) string {
	if p == nil {
		return ""
	}
	for _, v := range p.Defaults {
		if v.Dimension == d.Name {
			return v.Mode
		}
	}
	isPlanned := func(mode string) bool {
		return slices.ContainsFunc(p.Variants, func(v planVariant) bool { return v.Dimension == d.Name && v.Mode == mode })
	}
	if rest := slices.DeleteFunc(slices.Clone(d.Modes), isPlanned); len(rest) == 1 {
		return rest[0]
	}
	return ""
}

// refuseMissing returns the failure that a mode that is the Theme itself is not in the files any more: another one would
// take its place at the addresses of the Theme.
func (s *system) refuseMissing() error {
	refusal := func(dimension, mode, they string) error {
		return term.Fail("Put it back, or name another one under defaults in "+planName+"; remove "+planName+" to have the plan made anew.",
			"the Theme is %s, says %s, and the files have no such mode: they have %s", label(dimension, mode), planName, they)
	}
	for _, d := range s.source.Dimensions {
		if mode := s.decided.defaultOf(d); mode != "" && !slices.Contains(d.Modes, mode) {
			return refusal(d.Name, mode, term.ShortList(d.Modes))
		}
	}
	if s.decided == nil {
		return nil
	}
	for _, v := range s.decided.Defaults {
		isIt := func(d tokenfile.Dimension) bool { return d.Name == v.Dimension }
		isLeft := func(other planVariant) bool { return other.Dimension == v.Dimension && s.source.Names(other.Mode) }
		if v.Mode != "" && !slices.ContainsFunc(s.source.Dimensions, isIt) && !s.source.Names(v.Mode) && slices.ContainsFunc(s.decided.Variants, isLeft) {
			return refusal(v.Dimension, v.Mode, "only another mode of it")
		}
	}
	return nil
}

// gone lists the modes of a plan that the files do not have.
func (s *system) gone() (names []string) {
	if s.decided == nil {
		return nil
	}
	for _, v := range s.decided.Variants {
		isBoth := func(one designsystem.Variant) bool { return one.Dimension == v.Dimension && one.Name == v.Mode }
		if !v.Skip && !s.isMode(designsystem.Mode{Dimension: v.Dimension, Name: v.Mode}) && !slices.ContainsFunc(s.plan.Variants, isBoth) {
			names = append(names, label(v.Dimension, v.Mode))
		}
	}
	return names
}

func (a *app) writePlan(p *planFile) error {
	text, err := yamlfile.Encode(p)
	if err != nil {
		return err
	}
	return a.WriteOut(planName, append([]byte(planHead), text...))
}

// plan takes the files, the Theme and the Environment that the command line does not name from the plan of this folder,
// and returns that plan, nil if the folder has none or none is wanted.
func (p *pushFlags) plan(files *[]string) (*planFile, error) {
	if p.variants != "one" && p.variants != "auto" {
		return nil, term.UsageError("Valid values: one, auto.", "--variants cannot be %q", p.variants)
	}
	if p.variants == "one" && len(*files) > 0 {
		if err := p.checkModes(); err != nil {
			return nil, err
		}
		if p.Theme == "" {
			return nil, term.UsageError("See livery push --help.", "livery push needs --theme")
		}
		return nil, nil
	}
	decided, err := readPlan()
	switch {
	case err != nil:
		return nil, err
	case decided == nil && len(*files) == 0:
		return nil, term.UsageError("Name token files or folders.", "livery push needs files, and this folder has no %s that names them", planName)
	case decided == nil:
		return nil, p.checkModes()
	}
	isSlug := !strings.HasPrefix(p.Theme, "thm_")
	switch {
	case len(*files) == 0:
		if err := decided.refuseOutside(); err != nil {
			return nil, err
		}
		*files, p.variants = decided.Files, "auto"
	case isSlug && p.Theme != "" && p.Theme != decided.Theme:
		return nil, term.Fail("Push in another folder, or remove "+planName+" if it is of no use any more.",
			"%s in this folder keeps the plan of Theme %s, and this push is of Theme %s", planName, decided.Theme, p.Theme)
	}
	if err := p.checkModes(); err != nil {
		return nil, err
	}
	p.Theme, p.Env = cmp.Or(p.Theme, decided.Theme), cmp.Or(p.Env, decided.Environment)
	return decided, nil
}

// refuseOutside returns a failure if the plan names a file that is not in this folder: a checkout brings its plan with it, and a
// push would publish whatever file of this user it names.
func (p *planFile) refuseOutside() error {
	for _, name := range p.Files {
		if !filepath.IsLocal(filepath.FromSlash(name)) || name == "-" || !source.IsInside(".", name) {
			return term.Fail("Name the files on the command line.", "%s names %s, which lies outside of this folder", planName, name)
		}
	}
	return nil
}

// slugs returns the names that the plan has for modes.
func (p *planFile) slugs() map[[2]string]string {
	names := map[[2]string]string{}
	if p != nil {
		for _, v := range p.Variants {
			names[[2]string{v.Dimension, v.Mode}] = v.Slug
		}
	}
	return names
}

// has reports whether the plan has a Variant of that slug for a mode.
func (p *planFile) has(slug string) bool {
	return p != nil && slug != "" && slices.ContainsFunc(p.Variants, func(v planVariant) bool { return v.Slug == slug })
}

// skips reports whether the plan leaves a mode out.
func (p *planFile) skips(dimension, mode string) bool {
	return p != nil && slices.ContainsFunc(p.Variants, func(v planVariant) bool { return v.Dimension == dimension && v.Mode == mode && v.Skip })
}
