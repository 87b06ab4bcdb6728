package intake

import (
	"fmt"
	"slices"
	"strings"

	"example.com/livery/intake/model"
	"example.com/livery/intake/system"
	"example.com/livery/renderer/jsontree"
)

// Plan is the result of reading a mapping.
type Plan struct {
	Theme     *system.Reading // Tree is the document of the Theme
	Variants  []Overrides     // in the order of the mapping
	Documents []*model.Document
	Problems  []Problems // without duplicates
	Replaced  []Pair     // pairs of ordered files with different values for the same tokens
	Unsent    []Unsent   // declared modes that the mapping neither selects nor ignores
	Skipped   []string   // names of files without tokens in folders and patterns
}

// Overrides is a Variant of the mapping with the values from its files.
type Overrides struct {
	Variant
	Values *jsontree.Node         // object with a member for each dotted path
	Places map[string]model.Place // by dotted path
}

// Problems is a list of problems of the same kind.
type Problems struct {
	Kind string
	List []model.Problem
}

// Pair is a pair of files with different values for the same tokens under the same conditions. The value in By counts.
type Pair struct {
	Was, By  string // files
	Count    int
	Examples []Example // the first 10 tokens
}

// Example is a token with different values in a Pair.
type Example struct {
	Path    string
	Was, By model.Place
}

const mostExamples = 10

// String describes the pair with the number of tokens and the first token.
func (p Pair) String() string {
	one := p.Examples[0]
	if p.Count == 1 {
		return fmt.Sprintf("%s and %s give %s different values (%s, %s)", p.Was, p.By, one.Path, one.Was, one.By)
	}
	return fmt.Sprintf("%s and %s give %d tokens different values; first %s (%s, %s)", p.Was, p.By, p.Count, one.Path, one.Was, one.By)
}

// Unsent is a declared mode that is not part of the Theme or a Variant.
type Unsent struct {
	model.Condition
	Tokens int    // the number of declarations that only hold in this mode
	Line   string // the line of livery.yaml that would add a Variant for the mode
}

// Conflict is the error for files of a folder or pattern with different values for the same tokens.
type Conflict struct{ Pairs []Pair }

func (c *Conflict) Error() string {
	text := c.Pairs[0].String() + ", and nothing says which of them counts"
	if more := len(c.Pairs) - 1; more > 0 {
		text += fmt.Sprintf("; so do %d more pairs of files", more)
	}
	return text
}

// Hint returns how to resolve the conflict.
func (c *Conflict) Hint() string {
	return "Name the files in the order in which they count, the last one most, or let livery init write a livery.yaml that does."
}

// Read reads the files of a mapping. It returns a *Conflict, a *model.Error, a *yamlfile.Error with a position in the mapping, or an error
// from Files.
func (r *Reader) Read(m *Mapping) (*Plan, error) {
	p := &planner{
		Reader: r, Mapping: m, plan: &Plan{}, own: map[string]*source{}, state: map[*model.Decl]state{}, pairs: map[[2]*model.Decl]bool{},
		taken: map[model.Condition]bool{}, isKnown: map[model.Problem]bool{},
	}
	if err := p.readSources(); err != nil {
		return nil, err
	}
	p.plan.Theme = p.reading(p.choice, p.theme)
	p.plan.Variants = make([]Overrides, len(m.Variants))
	for i := range m.Variants {
		if m.Variants[i].For != "" {
			continue // readVariant of the brand reads it
		}
		if err := p.readVariant(i, p.plan.Theme); err != nil {
			return nil, err
		}
	}
	if len(p.conflicts) > 0 {
		return nil, &Conflict{p.conflicts}
	}
	p.reportUnsent()
	p.reportHidden()
	p.groupProblems()
	return p.plan, nil
}

// planner builds a Plan.
type planner struct {
	*Reader
	*Mapping
	plan       *Plan
	theme      *source
	own        map[string]*source // by slug, for Variants with files
	all        dimensions
	selectable dimensions   // all, and the selectors of elements
	choice     model.Choice // for the Theme
	taken      map[model.Condition]bool
	problems   []model.Problem
	isKnown    map[model.Problem]bool
	state      map[*model.Decl]state
	pairs      map[[2]*model.Decl]bool
	conflicts  []Pair
	readings   int
}

// state is the state of a declaration. The zero value means that the declaration does not hold in any reading.
type state uint8

const (
	held    state = iota + 1 // the declaration holds in a reading
	visible                  // a reading contains the value of the declaration
)

// readSources reads the files of the Theme and the Variants, and chooses the modes of the Theme.
func (p *planner) readSources() (err error) {
	if p.theme, err = p.source(p.Files, p.Values); err != nil {
		return err
	}
	sources := []*source{p.theme}
	for _, v := range p.Variants {
		if len(v.Files) == 0 {
			continue
		}
		s, err := p.source(v.Files, p.Values)
		if err != nil {
			return err
		}
		p.own[v.Slug], sources = s, append(sources, s)
	}
	for _, s := range sources {
		p.plan.Documents = append(p.plan.Documents, s.documents...)
		for _, name := range s.skipped {
			if !slices.Contains(p.plan.Skipped, name) {
				p.plan.Skipped = append(p.plan.Skipped, name)
			}
		}
	}
	p.all = dimensionsOf(p.plan.Documents)
	p.selectable = p.all.withElements(p.plan.Documents)
	for _, document := range p.plan.Documents {
		p.report(document.Problems...)
		for _, f := range document.Files {
			p.reportDuplicates(f)
		}
	}
	if p.choice, err = p.chosen(p.all.defaults(), &p.Select, p.selectable, "select"); err != nil {
		return err
	}
	return p.all.named(p.choice, p.choices)
}

// report adds problems. It ignores a problem that was already added.
func (p *planner) report(list ...model.Problem) {
	for _, one := range list {
		if !p.isKnown[one] {
			p.isKnown[one], p.problems = true, append(p.problems, one)
		}
	}
}

func (p *planner) reportDuplicates(f *model.File) {
	for _, d := range f.Duplicates {
		at, _ := jsontree.ParsePointer(d.Pointer)
		if d.Inside || jsontree.Equal(d.Value, f.Root.Lookup(at)) {
			continue
		}
		p.report(model.Problem{
			Place: model.Place{File: f, Pointer: d.Pointer}, Path: strings.Join(at, "."), Kind: "members that a file has twice",
			Message: fmt.Sprintf("the later one counts, not that in line %d", d.Line),
		})
	}
}

// reading reads the sources with a choice of modes. It updates the states of the declarations, the problems and the pairs.
func (p *planner) reading(c model.Choice, sources ...*source) *system.Reading {
	layers, of := laidOver(sources...)
	r := system.Read(layers, c)
	for _, d := range r.Laid {
		p.state[d] = max(p.state[d], held)
	}
	r.Tokens(func(d *model.Decl) { p.state[d] = visible })
	p.report(r.Problems...)
	p.addPairs(r.Replaced, of)
	for axis, mode := range c {
		p.taken[model.Condition{Axis: axis, Mode: mode}] = true
	}
	if p.readings++; p.Progress != nil {
		p.Progress(p.readings, 1+len(p.Variants))
	}
	return r
}

// addPairs adds replacements to the pairs of their files. of has the index of the source for each layer.
func (p *planner) addPairs(replaced []system.Replacement, of []int) {
	for _, one := range replaced {
		if key := [2]*model.Decl{one.Was, one.By}; one.Equals && of[one.Layers[0]] == of[one.Layers[1]] && !p.pairs[key] {
			p.pairs[key] = true
			if one.Layers[0] == one.Layers[1] {
				p.conflicts = withPair(p.conflicts, one)
			} else {
				p.plan.Replaced = withPair(p.plan.Replaced, one)
			}
		}
	}
}

// withPair adds a replacement to the pair of its files.
func withPair(pairs []Pair, r system.Replacement) []Pair {
	was, by := r.Was.File.Name, r.By.File.Name
	i := slices.IndexFunc(pairs, func(p Pair) bool { return p.Was == was && p.By == by })
	if i < 0 {
		i, pairs = len(pairs), append(pairs, Pair{Was: was, By: by})
	}
	p := &pairs[i]
	if p.Count++; len(p.Examples) < mostExamples {
		p.Examples = append(p.Examples, Example{r.By.Name(), r.Was.Place, r.By.Place})
	}
	return pairs
}

// sourcesOf returns the sources and the choice of modes for a Variant. The later sources are laid over the earlier ones.
func (p *planner) sourcesOf(v *Variant) (sources []*source, choice model.Choice, err error) {
	parts := []*Variant{v}
	if v.For != "" {
		parts = []*Variant{p.variant(v.For), v}
		if general := p.general(v); general != nil {
			parts = []*Variant{p.variant(v.For), general, v}
		}
	}
	sources, choice = []*source{p.theme}, p.choice
	for _, part := range parts {
		if choice, err = p.chosen(choice, &part.Select, p.selectable, "variants", part.Slug, "select"); err != nil {
			return nil, nil, err
		}
		if own := p.own[part.Slug]; own != nil {
			sources = append(sources, own)
		}
	}
	return sources, choice, nil
}

// readVariant reads a Variant and the modes that are only for it. base is the reading of the Variant in For, or else of the Theme.
func (p *planner) readVariant(i int, base *system.Reading) error {
	v := &p.Variants[i]
	sources, choice, err := p.sourcesOf(v)
	if err != nil {
		return err
	}
	r := p.reading(choice, sources...)
	values, problems := system.Overrides(p.plan.Theme.Tree, base.Tree, r)
	p.report(problems...)
	o := Overrides{*v, values, make(map[string]model.Place, len(values.Members))}
	for _, m := range values.Members {
		o.Places[m.Name] = r.PlaceOf(m.Name)
	}
	p.plan.Variants[i] = o
	for k := range p.Variants {
		if p.Variants[k].For == v.Slug {
			if err := p.readVariant(k, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// reportUnsent adds the declared modes that are not part of a reading and not ignored.
func (p *planner) reportUnsent() {
	ignored := map[model.Condition]bool{}
	for _, s := range p.Ignore {
		for _, c := range s.conditions() {
			ignored[c] = true
		}
	}
	counts := map[model.Condition]int{}
	for _, document := range p.plan.Documents {
		for i := range document.Decls {
			if d := &document.Decls[i]; !d.Group && p.state[d] == 0 {
				for _, c := range d.Conditions() {
					counts[c]++
				}
			}
		}
	}
	var list []model.Condition
	for _, c := range p.all.conditions() {
		if isDefault := p.all.defaults()[c.Axis] == c.Mode && c.Kind != model.CSS; !p.taken[c] && !ignored[c] && (isDefault || counts[c] > 0) {
			list = append(list, c)
		}
	}
	lines := map[model.Condition]string{}
	proposed := entriesOf(list)
	proposed.finish(p.Mapping)
	for _, e := range proposed {
		for _, c := range e.conditions {
			lines[c] = e.Line()
		}
	}
	for _, c := range list {
		p.plan.Unsent = append(p.plan.Unsent, Unsent{c, counts[c], lines[c]})
	}
}

// reportHidden reports the declarations that no reading contains, unless the plan reports them otherwise.
func (p *planner) reportHidden() {
	told, has := map[model.Place]bool{}, map[string]bool{}
	for _, one := range p.problems {
		told[one.Place] = true
	}
	for pair := range p.pairs {
		told[pair[0].Place] = true
	}
	spell := func(d *model.Decl) string { return d.Name() + string(jsontree.Append(nil, d.Node)) }
	for d, state := range p.state {
		if state == visible {
			has[spell(d)] = true
		}
	}
	for _, document := range p.plan.Documents {
		for i := range document.Decls {
			d := &document.Decls[i]
			if d.Group || p.state[d] == visible || told[d.Place] {
				continue
			}
			problem := model.Problem{Place: d.Place, Path: d.Name()}
			switch isUntaken := func(c model.Condition) bool { return !p.taken[c] }; {
			case p.state[d] == held && has[spell(d)]: // a reading contains an equal declaration
				continue
			case p.state[d] == held:
				problem.Kind, problem.Message = "values that others replace", "a later value of the same token counts"
			case slices.ContainsFunc(d.Conditions(), isUntaken): // the mode is unsent or ignored
				continue
			default:
				problem.Lost = true
				problem.Kind, problem.Message = "values for several modes together", "no Variant takes all modes of "+describeContexts(d.When)
			}
			p.report(problem)
		}
	}
}

func describeContexts(contexts []model.Context) string {
	var all []string
	for _, context := range contexts {
		var list []string
		for _, c := range context {
			list = append(list, describe(c))
		}
		all = append(all, strings.Join(list, " with "))
	}
	return strings.Join(all, ", or ")
}

func (p *planner) groupProblems() {
	for _, one := range p.problems {
		i := slices.IndexFunc(p.plan.Problems, func(g Problems) bool { return g.Kind == one.Kind })
		if i < 0 {
			i, p.plan.Problems = len(p.plan.Problems), append(p.plan.Problems, Problems{Kind: one.Kind})
		}
		p.plan.Problems[i].List = append(p.plan.Problems[i].List, one)
	}
}
