//go:build unix

// Package scan measures livery scan on a million lines of sources. -page FILE writes the report: make scan.
package scan

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

var (
	page    = flag.String("page", "", "write the report to `FILE`")
	program = flag.String("livery", "../../bin/livery", "the program that is measured")
)

// Sizes of the sources.
const (
	measuredLines = 1_000_000
	testedLines   = 30_000
	perFile       = 250 // lines
	tokens        = 2_000
	turns         = 7
)

// groups and names make the names of tokens: color-action-primary-hover-7.
var (
	groups = strings.Fields("action surface content border feedback navigation control overlay chart badge")
	names  = strings.Fields("primary secondary tertiary neutral positive negative notice accent subtle strong")
	states = strings.Fields("rest hover pressed focus disabled selected visited active loading dragged")
)

// sources writes files of many languages. Its zero value is not useful.
type sources struct {
	*rand.Rand
	planted int // misspelt names
	uses    int
}

// token returns the path of a token.
func (s *sources) token() []string {
	return []string{groups[s.IntN(len(groups))], names[s.IntN(len(names))], states[s.IntN(len(states))]}
}

// name returns the name of a token behind some text; one in 2,000 is misspelt.
func (s *sources) name(before string, separator string) string {
	path := s.token()
	if s.IntN(2000) == 0 {
		s.planted++
		path[1] = path[1][:2] + path[1][3:] // a letter is missing
	} else {
		s.uses++
	}
	return before + strings.Join(path, separator)
}

// lines are the kinds of lines by the extension of a file; a % is replaced by what they name.
var lines = map[string][]string{
	".tsx": {
		"import { Button } from '../components/button';", "export function Panel({ title, items, onSelect }: PanelProps) {",
		"  const [open, setOpen] = useState(false);", "  // The panel keeps its own state: see useDisclosure() above.", "  return (", "",
		`    <section className="flex flex-col gap-4 rounded-lg border px-6 py-4 shadow-sm %class hover:%class/80">`,
		`      <h2 className={cn("text-lg font-semibold tracking-tight", open && "%class")}>{title}</h2>`,
		`      <p className="text-sm leading-relaxed text-muted-foreground md:text-base">{items.length} items are left over</p>`,
		`      {items.map((item) => <Row key={item.id} {...item} onClick={() => onSelect?.(item.id)} />)}`,
		`      <svg viewBox="0 0 24 24" style={{ fill: 'var(%property)' }}><path d="M12 2l3.09 6.26L22 9.27l-5 4.87" /></svg>`, "    </section>", "  );", "}",
	},
	".ts": {
		"export interface Options { readonly name: string; timeout?: number }", "  if (!response.ok) throw new Error(`the server answered ${response.status}`);",
		"  const total = items.reduce((sum, item) => sum + item.price * item.count, 0);", "", "  /** Returns the first element that matches, or undefined. */",
		"  return new Map(Object.entries(values).map(([key, value]) => [key.toLowerCase(), value]));", "  chart.setColor(cssVar('%path'));", "}",
	},
	".css": {
		".panel__title--large {", "  display: flex; align-items: center;", "  color: var(%property);", "  padding: 4px 8px var(--bs-gutter-x, 12px);",
		"  transition: background-color 120ms ease-in-out;", "  border-bottom: 1px solid var(%property, currentColor);", "}", "", "/* The next rule is for printers alone. */",
	},
	".scss": {
		"@use '../mixins' as m;", "  &:hover { background: var(%property); }", "  @include m.breakpoint($medium) { margin-inline: m.rem(24); }", "  width: calc(100% - #{$gutter * 2});", "}", "",
	},
	".vue": {
		"<template>", `  <li v-for="item in items" :key="item.id" :class="{ '%class': item.active, 'font-bold': item.isNew }">{{ item.label }}</li>`,
		`  <button type="button" class="inline-flex items-center %class" @click="emit('select', item)">`, "</template>", "<style scoped>", ".label { color: var(%property); }", "</style>", "",
	},
}

// write fills a folder with so many lines and returns their bytes.
func (s *sources) write(t *testing.T, dir string, count int) (size int) {
	t.Helper()
	extensions := []string{".tsx", ".tsx", ".tsx", ".ts", ".ts", ".css", ".scss", ".vue"}
	for file := 0; count > 0; file++ {
		extension := extensions[file%len(extensions)]
		var b strings.Builder
		for range min(count, perFile) {
			b.WriteString(s.line(lines[extension][s.IntN(len(lines[extension]))]) + "\n")
		}
		count -= perFile
		size += b.Len()
		folder := filepath.Join(dir, fmt.Sprintf("packages/p%d/src/m%d", file%40, file%7))
		if err := errors.Join(os.MkdirAll(folder, 0o755), os.WriteFile(filepath.Join(folder, fmt.Sprintf("f%d%s", file, extension)), []byte(b.String()), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return size
}

// line fills in the names of a line.
func (s *sources) line(kind string) string {
	for {
		before, after, found := strings.Cut(kind, "%")
		switch {
		case !found:
			return kind
		case strings.HasPrefix(after, "property"):
			kind = before + s.name("--color-", "-") + after[len("property"):]
		case strings.HasPrefix(after, "class"):
			kind = before + s.name("bg-", "-") + after[len("class"):]
		case strings.HasPrefix(after, "path"):
			kind = before + s.name("color.", ".") + after[len("path"):]
		default:
			return kind // a percentage
		}
	}
}

// document returns the tokens that the sources name, and as many lengths.
func document() []byte {
	colors := map[string]any{"$type": "color"}
	lengths := map[string]any{"$type": "dimension"}
	for _, group := range groups {
		members := map[string]any{}
		for _, name := range names {
			leaves := map[string]any{}
			for i, state := range states {
				leaves[state] = map[string]any{"$value": "#0055aa"}
				lengths[fmt.Sprintf("%s-%s-%d", group, name, i)] = map[string]any{"$value": "4px"}
			}
			members[name] = leaves
		}
		colors[group] = members
	}
	text, err := json.Marshal(map[string]any{"color": colors, "space": lengths})
	if err != nil {
		panic(err)
	}
	return text
}

// found is what the program reports.
type found struct {
	Files, Lines, Uses int
	Tokens             []any
	Findings           []struct{ Rule, Name, Nearest string }
}

// run scans a folder on two processors and returns what the program printed, its time and what it used.
func run(t *testing.T, dir string, flags ...string) (out []byte, took time.Duration, used *syscall.Rusage) {
	t.Helper()
	path, err := filepath.Abs(*program)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, append([]string{"scan", "packages", "--tokens", "tokens.json"}, flags...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOMAXPROCS=2")
	var text bytes.Buffer
	cmd.Stdout = &text
	begin := time.Now()
	err = cmd.Run()
	took = time.Since(begin)
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() > 1 {
		t.Fatal(err)
	}
	return text.Bytes(), took, cmd.ProcessState.SysUsage().(*syscall.Rusage)
}

// TestScanFindsWhatIsMisspelt plants misspelt names in sources and wants all of them, and nothing else; with -page it
// measures a million lines.
func TestScanFindsWhatIsMisspelt(t *testing.T) {
	if _, err := os.Stat(*program); err != nil {
		t.Skipf("NOT PROVEN: the program is missing (make build): %v", err)
	}
	count := testedLines
	if *page != "" {
		count = measuredLines
	}
	dir := t.TempDir()
	s := sources{Rand: rand.New(rand.NewPCG(7, 1))}
	size := s.write(t, dir, count)
	if err := os.WriteFile(filepath.Join(dir, "tokens.json"), document(), 0o644); err != nil {
		t.Fatal(err)
	}
	out, _, _ := run(t, dir, "--json")
	var r found
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatal(err)
	}
	unnamed := slices.ContainsFunc(r.Findings, func(f struct{ Rule, Name, Nearest string }) bool {
		return f.Rule != "unknown-token" || f.Nearest == ""
	})
	if len(r.Findings) != s.planted || unnamed || r.Uses != s.uses || r.Lines != count || len(r.Tokens) != tokens {
		t.Fatalf("found %d of %d misspelt names, %d of %d uses, in %d of %d lines, of %d tokens: %+v",
			len(r.Findings), s.planted, r.Uses, s.uses, r.Lines, count, len(r.Tokens), r.Findings[:min(3, len(r.Findings))])
	}
	if *page == "" {
		return
	}
	report := fmt.Sprintf("# livery scan on a million lines\n\n%s, `make scan`, %s, %d processors, of which the program uses two. ", time.Now().Format(time.DateOnly), runtime.Version(), runtime.NumCPU())
	report += fmt.Sprintf("%d files of TypeScript, CSS, Sass and Vue, %.1f MB, with %d uses of %d tokens and %d misspelt names, all of which are found and nothing else. ",
		r.Files, float64(size)/1e6, r.Uses, len(r.Tokens), s.planted)
	report += fmt.Sprintf("Whole runs of the program, the start and the tokens included, files in the page cache; the median of %d, and the slowest. ", turns)
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		report += "The machine is shared, its load was " + strings.Fields(string(load))[0] + " before: with two processors to itself a run takes no longer than its processor time.\n\n"
	}
	report += "| | s | slowest, s | million lines a second | MB a second | processor, s | peak memory, MB |\n|---|---:|---:|---:|---:|---:|---:|\n"
	for _, flags := range []string{"", "--unused --strict", "--uses --json", "--uses --sarif"} {
		report += measure(t, dir, strings.Fields(flags), size)
	}
	if err := os.WriteFile(*page, []byte(report), 0o644); err != nil {
		t.Fatal(err)
	}
}

// measure runs the program several times and returns a line of the report.
func measure(t *testing.T, dir string, flags []string, size int) string {
	t.Helper()
	var times []time.Duration
	var processor time.Duration
	var peak int64
	for range turns {
		_, took, used := run(t, dir, flags...)
		times = append(times, took)
		processor += time.Duration(used.Utime.Nano() + used.Stime.Nano())
		peak = max(peak, used.Maxrss)
	}
	slices.Sort(times)
	median := times[turns/2].Seconds()
	return fmt.Sprintf("| `livery scan %s` | %.2f | %.2f | %.1f | %.0f | %.2f | %d |\n", strings.Join(flags, " "), median, times[turns-1].Seconds(),
		measuredLines/median/1e6, float64(size)/median/1e6, processor.Seconds()/turns, peak/1024)
}
