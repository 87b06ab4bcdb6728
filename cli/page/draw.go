package page

import (
	"html"
	"strings"

	"example.com/livery/renderer/css"
	"example.com/livery/renderer/dtcg"
)

// figure writes one token: a sample with a style of its own, its name, and its value.
func (p *drawing) figure(e entry, class, style, sample string) {
	p.WriteString(`<figure id="` + html.EscapeString(e.property) + `"><div class="` + class + `" style="` + html.EscapeString(style) + `">` + html.EscapeString(sample) + `</div>`)
	p.WriteString(`<figcaption><b>` + html.EscapeString(e.token.Path) + `</b><code>` + html.EscapeString(e.shown()) + `</code>`)
	if d := e.token.Node.Find("$description"); d.IsString() {
		p.WriteString(`<i>` + html.EscapeString(d.Text) + `</i>`)
	}
	p.WriteString("</figcaption></figure>\n")
}

// shown is the value for a reader, and where it points to.
func (e entry) shown() string {
	if e.token.Value.IsString() && strings.HasPrefix(e.token.Value.Text, "{") {
		return e.token.Value.Text + " = " + e.value
	}
	return e.value
}

// use is a reference to the custom property.
func (e entry) use() string { return "var(" + e.property + ")" }

const pangram = "Sphinx of black quartz, judge my vow 0123"

func (p *drawing) color(e entry) {
	p.figure(e, "swatch", "--livery-page-sample:"+e.use(), "")
}

// typography shows the shorthand where there is one, and else the parts that there are.
func (p *drawing) typography(e entry) {
	style := "font:" + e.use()
	if e.value == "" {
		style = ""
	}
	parts := ""
	for _, part := range []string{"font-family", "font-size", "font-weight", "line-height", "letter-spacing"} {
		name := e.property + "-" + part
		value, ok := p.declared[name]
		if !ok {
			continue
		}
		if e.value == "" || part == "letter-spacing" {
			style += ";" + part + ":var(" + name + ")"
		}
		parts += "; " + part + ": " + value
	}
	if e.value == "" {
		e.value = strings.TrimPrefix(parts, "; ")
	}
	if e.value != "" {
		p.figure(e, "specimen", style, pangram)
	}
}

func (p *drawing) font(e entry) {
	property := "font-family:"
	if kind, _ := dtcg.KindOf(e.token.Resolved); kind == css.FontWeight {
		property = "font-weight:"
	}
	p.figure(e, "specimen", property+e.use(), pangram)
}

func (p *drawing) size(e entry) { p.figure(e, "bar", "width:"+e.use(), "") }

func (p *drawing) corner(e entry) { p.figure(e, "box", "border-radius:"+e.use(), "") }

func (p *drawing) shadow(e entry) { p.figure(e, "box raised", "box-shadow:"+e.use(), "") }

func (p *drawing) gradient(e entry) { p.figure(e, "box", "background:"+e.use(), "") }

func (p *drawing) border(e entry) {
	property := "border:"
	if kind, _ := dtcg.KindOf(e.token.Resolved); kind == css.StrokeStyle {
		property = "border-style:"
	}
	p.figure(e, "box plain", property+e.use(), "")
}

// motion moves a dot from end to end and back.
func (p *drawing) motion(e entry) {
	style := "animation-duration:" + e.use()
	switch kind, _ := dtcg.KindOf(e.token.Resolved); kind {
	case css.CubicBezier:
		style = "animation-timing-function:" + e.use()
	case css.Transition:
		style = "transition:left " + e.use()
	}
	p.figure(e, "track", style, "")
}

func (p *drawing) other(e entry) { p.figure(e, "none", "", "") }

// ScriptName is the name under which the server of a live page answers with Script.
const ScriptName = "live.js"

// Script draws a live page anew whenever its server says so: an event stream at "changes".
const Script = `const changes = new EventSource("changes");
let first;
changes.onmessage = (event) => {
  if (first === undefined) first = event.data;
  else if (event.data !== first) location.reload();
};
`

// ownStyle dresses the page itself. It uses no token, so that no token can make it unreadable.
const ownStyle = `
html { background: #fff; color: #1b1b1f; }
body { margin: 0; font: 14px/1.45 system-ui, sans-serif; }
main { max-width: 76rem; margin: 0 auto; padding: 2rem 1.5rem 6rem; }
h1 { font-size: 1.7rem; margin: 0; } h2 { font-size: 1.15rem; margin: 2.5rem 0 .8rem; }
small, header p { color: #6b6b76; font-weight: 400; }
.grid { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); }
.rows figure { display: grid; grid-template-columns: minmax(0, 1fr) 22rem; gap: 1.5rem; align-items: center; padding: .5rem 0; border-bottom: 1px solid #ececf1; }
figure { margin: 0; min-width: 0; }
figcaption b, figcaption code, figcaption i { display: block; overflow-wrap: anywhere; }
figcaption code { color: #6b6b76; font: 12px/1.5 ui-monospace, monospace; } figcaption i { font-style: normal; color: #45454e; }
.swatch, .box { height: 5rem; border-radius: 10px; margin-bottom: .5rem; }
.swatch { background: linear-gradient(var(--livery-page-sample), var(--livery-page-sample)), repeating-conic-gradient(#ddd 0% 25%, #fff 0% 50%) 0 0 / 16px 16px; box-shadow: inset 0 0 0 1px #0001; }
.box { background: #e9e9f0; } .raised { background: #fff; margin: 1rem; } .plain { background: #fff; border: 3px solid #1b1b1f; }
.specimen { overflow: hidden; font-size: 1.3rem; white-space: nowrap; text-overflow: ellipsis; max-height: 9rem; }
.bar { height: 1rem; background: #7c6cf0; max-width: 100%; border-radius: 2px; }
.track { position: relative; height: 1.4rem; border-bottom: 1px dashed #c9c9d2; }
.track::after { content: ""; position: absolute; left: 0; top: 2px; width: 1rem; height: 1rem; border-radius: 50%; background: #7c6cf0;
  animation: run 1.2s infinite alternate; animation-duration: inherit; animation-timing-function: inherit; transition: inherit; }
.track:hover::after { left: calc(100% - 1rem); }
.faults { background: #fff3f1; border: 1px solid #f3c9c2; border-radius: 10px; padding: 0 1.2rem .6rem; margin-top: 1.5rem; }
.faults h2 { margin-top: 1rem; }
@keyframes run { to { left: calc(100% - 1rem); } }
@media (prefers-reduced-motion: reduce) { .track::after { animation: none; } }
`
