package report

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/frame"
)

// writeReport writes everything but figures.json, which is written while measuring, and removes plots
// that belong to no figure any more.
func writeReport(dir string, all *results) error {
	old, err := filepath.Glob(filepath.Join(dir, "*.svg"))
	if err != nil {
		return err
	}
	for _, path := range old {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	for _, p := range all.parts {
		r := all.Parts[p.Name]
		if r == nil || r.Set == nil {
			continue
		}
		for _, c := range charts(p.Name, r.Set) {
			if err := os.WriteFile(filepath.Join(dir, c.file), c.chart.SVG(), 0o644); err != nil {
				return err
			}
		}
	}
	return os.WriteFile(filepath.Join(dir, "README.md"), []byte(all.page()), 0o644)
}

const method = `Everything here is written by ` + "`make bench`" + ` (` + "`bin/bench report`" + `) from [figures.json](figures.json), where each figure has its value, its spread and the command
that measures it again; no figure is typed in by hand. What is compared is measured in turn in one run, round by round, so that a slow moment of the machine is
everybody's. Values are those of the round in the middle, or the quantile that is named; "(a to b)" is what a quarter of the rounds lies below and above. Of times, read the ratios: they are
of one machine.

`

const notCompared = `## What is not compared

- HTTP/3. TLS and HTTP/2 are compared with nginx and h2o alone.
- Networks: everything is on one machine's loopback, without loss or distance, and the load has one core.
- More than one core for a server: nginx, h2o, Varnish and Livery would all use more.
- What the others do that Livery does not: they are general servers, set up here for one thing.
- h2o and nginx read files that the system holds in its cache; Varnish and Livery hold them in their own memory.
- Other stores of design tokens: none is known that can be run here.

`

// page is the whole report.
func (all *results) page() string {
	var b strings.Builder
	b.WriteString("# Livery, measured\n\n")
	if quick := all.quick(); len(quick) > 0 {
		fmt.Fprintf(&b, "**Not to be believed yet:** %s ran only long enough to see that everything works.\n\n", strings.Join(quick, ", "))
	}
	b.WriteString("## Method\n\n" + method)
	fmt.Fprintf(&b, "Machine: %s.  \n", all.Machine)
	if len(all.Machine.Programs) > 0 {
		fmt.Fprintf(&b, "Beside: %s.\n", strings.Join(all.Machine.Programs, "; "))
	}
	b.WriteString("\n" + all.commandTable() + "\n" + notCompared)
	b.WriteString("## What was to be reached\n\nA capacity is compared in the quieter rounds, of which a quarter was cheaper: other work on the machine can only add to a cost.\n\n" + all.reachTable())
	b.WriteString("\n## Where Livery is behind, and why\n\n" + all.behindText())
	for _, p := range all.parts {
		b.WriteString(all.section(p))
	}
	return b.String()
}

// quick lists the parts whose figures are of a quick run.
func (all *results) quick() (names []string) {
	for _, p := range all.parts {
		if r := all.Parts[p.Name]; r != nil && r.Quick && r.LeftOut == "" {
			names = append(names, p.Name)
		}
	}
	return names
}

// commandTable says what ran when, for how long, on how busy a machine, by which command.
func (all *results) commandTable() string {
	lines := [][]string{{"part", "when (UTC)", "took", "load before", "command"}}
	for _, p := range all.parts {
		r := all.Parts[p.Name]
		name := fmt.Sprintf(`<a id="by-%s"></a>%s`, p.Name, p.Name)
		switch {
		case r == nil:
			lines = append(lines, []string{name, "never", "", "", ""})
		case r.LeftOut != "":
			lines = append(lines, []string{name, r.When, "", r.Load, "left out: " + r.LeftOut})
		default:
			lines = append(lines, []string{name, r.When, fmt.Sprintf("%.0f s", r.Seconds), r.Load, "`" + r.Set.Command + "`"})
		}
	}
	return figures.MarkdownTable(lines, nil)
}

// section is one part's.
func (all *results) section(p frame.Part) string {
	r := all.Parts[p.Name]
	if r == nil || r.LeftOut != "" {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s\n\n", p.Title)
	if p.About != "" {
		b.WriteString(p.About + "\n\n")
	}
	for _, note := range r.Set.Notes {
		fmt.Fprintf(&b, "- %s\n", note)
	}
	if len(r.Set.Notes) > 0 {
		b.WriteString("\n")
	}
	b.WriteString(strings.TrimSuffix(r.Set.Markdown(func(growth []figures.Figure) string { return picture(p.Name, growth) }), "\n"))
	return b.String()
}
