package report

import (
	"fmt"
	"strings"

	"example.com/livery/bench/internal/figures"
)

// noise is the ratio below which two costs are taken for the same.
const noise = 1.05

// reachTable compares what was measured with what was to be reached.
func (all *results) reachTable() string {
	lines := [][]string{{"to reach", "", "measured", "", "part"}}
	for _, r := range reaches {
		measured, verdict := "", "not measured"
		if v, ok := r.measured(all); ok {
			measured, verdict = figures.Spell(v), "**behind**"
			if r.reached(v) {
				verdict = "reached"
			}
		}
		lines = append(lines, []string{r.what, r.wanted(), measured, verdict, r.part})
	}
	return figures.MarkdownTable(lines, nil)
}

// behindText tells every reach that is missed and every server that answers for less, with the reason
// if one is known.
func (all *results) behindText() string {
	var b strings.Builder
	for _, r := range reaches {
		if v, ok := r.measured(all); ok && !r.reached(v) {
			fmt.Fprintf(&b, "- %s: %s %s measured, %s wanted. %s\n", r.what, figures.Spell(v), r.unit, r.wanted(), r.behind)
		}
	}
	for _, line := range all.dearer() {
		b.WriteString(line)
	}
	if b.Len() == 0 {
		return "Nowhere, by these figures.\n"
	}
	return b.String()
}

// dearer lists the scenarios in which another server answers a request for less processor time than the
// whole edge.
func (all *results) dearer() (lines []string) {
	r := all.Parts["edge"]
	if r == nil || r.Set == nil {
		return nil
	}
	for _, ours := range r.Set.Figures {
		if ours.Unit != cost || ours.Subject != "livery" || ours.Low <= 0 {
			continue
		}
		var cheaper []string
		for _, f := range r.Set.Figures {
			if f.Name == ours.Name && f.Unit == cost && f.Subject != "livery" && f.Low > 0 && ours.Low/f.Low > noise {
				cheaper = append(cheaper, fmt.Sprintf("%s (%.2f of it)", f.Subject, f.Low/ours.Low))
			}
		}
		if len(cheaper) > 0 {
			lines = append(lines, fmt.Sprintf("- %s: a request costs livery %s; less of %s. %s\n", ours.Name, figures.Spell(ours.Low)+" µs", strings.Join(cheaper, ", "), whyDearer(ours.Name)))
		}
	}
	return lines
}

// whyDearer says why a kind of traffic costs the edge more than others, if that is known.
func whyDearer(scenario string) string {
	switch {
	case strings.Contains(scenario, "left to fasthttp"):
		return "A header about framing, conditions or the connection hands the request over to the full server, on another thread."
	case strings.Contains(scenario, "identity"):
		return "The body is copied into the socket, which sendfile saves."
	case strings.Contains(scenario, "new connection"):
		return "The kernel's accept and close are nearly all of it."
	case strings.Contains(scenario, "1 connection"):
		return "One request at a time: both sides wake up for each, and that is what is measured."
	}
	return ""
}
