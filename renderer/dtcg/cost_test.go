package dtcg_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// object spells an object of n members.
func object(n int, member func(i int) string) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(member(i))
	}
	b.WriteByte('}')
	return b.String()
}

// shapes are documents whose aliases are as hard as n tokens can make them.
var shapes = []struct {
	name   string
	member func(i, n int) string
	served func(n int) int // how many tokens are served
}{
	{"a chain whose end comes last", func(i, n int) string {
		if i == n-1 {
			return fmt.Sprintf(`"t%d":{"$type":"number","$value":1}`, i)
		}
		return fmt.Sprintf(`"t%d":{"$value":"{t%d}"}`, i, i+1)
	}, func(n int) int { return n }},
	{"a chain whose end comes first", func(i, n int) string {
		if i == 0 {
			return `"t0":{"$type":"number","$value":1}`
		}
		return fmt.Sprintf(`"t%d":{"$value":"{t%d}"}`, i, i-1)
	}, func(n int) int { return n }},
	{"a chain onto nothing", func(i, n int) string {
		return fmt.Sprintf(`"t%d":{"$value":"{t%d}"}`, i, i+1)
	}, func(n int) int { return 0 }},
	{"one cycle of all", func(i, n int) string {
		return fmt.Sprintf(`"t%d":{"$value":"{t%d}"}`, i, (i+1)%n)
	}, func(n int) int { return 0 }},
	{"a chain onto a cycle", func(i, n int) string {
		return fmt.Sprintf(`"t%d":{"$value":"{t%d}"}`, i, min(i+1, n-1))
	}, func(n int) int { return 0 }},
	{"a chain inside strings", func(i, n int) string {
		if i == 0 {
			return `"t0":{"$type":"string","$value":"x"}`
		}
		return fmt.Sprintf(`"t%d":{"$type":"string","$value":"-{t0}"}`, i)
	}, func(n int) int { return n }},
	{"all of one", func(i, n int) string {
		if i == 0 {
			return `"t0":{"$type":"fontFamily","$value":["a","b"]}`
		}
		return fmt.Sprintf(`"t%d":{"$value":"{t0}"}`, i)
	}, func(n int) int { return n }},
	{"one of all", func(i, n int) string {
		if i == 0 {
			return `"t0":{"$type":"fontFamily","$value":["{t` + strings.Join(numbers(1, n), `}","{t`) + `}"]}`
		}
		return fmt.Sprintf(`"t%d":{"$type":"fontFamily","$value":"f"}`, i)
	}, func(n int) int { return n }},
	{"a dense knot", func(i, n int) string {
		return fmt.Sprintf(`"t%d":{"$value":["{t%d}","{t%d}","{t%d}"]}`, i, (i+1)%n, (i*7+1)%n, (i/2)%n)
	}, func(n int) int { return 0 }},
}

func numbers(from, to int) (list []string) {
	for i := from; i < to; i++ {
		list = append(list, fmt.Sprint(i))
	}
	return list
}

// A37: chains and cycles of 20,000 tokens resolve, and twice the tokens cost twice the steps and
// twice the bytes of diagnostics.
func TestResolutionIsLinear(t *testing.T) {
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			cost := func(n int) (steps, messages int) {
				d := read(t, object(n, func(i int) string { return shape.member(i, n) }))
				served := 0
				for i := range d.Tokens {
					if d.Tokens[i].Served != nil {
						served++
					}
				}
				if want := shape.served(n); served != want {
					t.Fatalf("%d of %d tokens are served, want %d", served, n, want)
				}
				if len(d.Diagnostics()) != n-served {
					t.Fatalf("%d diagnostics for %d tokens left out", len(d.Diagnostics()), n-served)
				}
				for _, x := range d.Diagnostics() {
					messages += len(x.Message)
				}
				return dtcg.Steps(d), messages
			}
			steps, messages := cost(10_000)
			twiceSteps, twiceMessages := cost(20_000)
			if steps == 0 || twiceSteps > steps*21/10 || twiceMessages > messages*23/10 {
				t.Errorf("10,000 tokens take %d steps and %d bytes of messages, 20,000 take %d and %d",
					steps, messages, twiceSteps, twiceMessages)
			}
		})
	}
}

// size is the length of the JSON text of n, counted without writing it.
func size(n *jsontree.Node) int {
	total := len(n.Text)
	if total > 0 {
		return total // of an array or object, what its parts are too
	}
	for _, item := range n.Items() {
		total += size(item)
	}
	for _, m := range n.Members {
		total += len(m.Name) + size(m.Value)
	}
	return total
}

// A38: what aliases build is bounded by value and by document, and costs no more than the bounds.
func TestGrowingAliasesAreBounded(t *testing.T) {
	laughs := map[string]func(i int) string{
		"members": func(i int) string {
			return fmt.Sprintf(`"t%d":{"$type":"border","$value":{"color":"{t%d}","width":"{t%d}"}}`, i, i-1, i-1)
		},
		"elements": func(i int) string {
			return fmt.Sprintf(`"t%d":{"$type":"shadow","$value":["{t%d}","{t%d}"]}`, i, i-1, i-1)
		},
		"strings": func(i int) string { return fmt.Sprintf(`"t%d":{"$type":"string","$value":"{t%d} {t%d}"}`, i, i-1, i-1) },
	}
	for name, member := range laughs {
		t.Run(name, func(t *testing.T) {
			d := read(t, object(60, func(i int) string {
				if i == 0 {
					return `"t0":{"$type":"string","$value":"laugh"}`
				}
				return member(i)
			}))
			total, left := 0, 0
			for i := range d.Tokens {
				if v := d.Tokens[i].Served; v != nil {
					total += size(v)
				} else {
					left++
				}
			}
			if left < 30 || total > 4<<20 {
				t.Errorf("%d tokens are left out and %d bytes are served", left, total)
			}
			if got := d.Diagnostics(); len(got) != left || got[0].Kind != dtcg.ValueMisfit || !strings.Contains(got[0].Message, "1 MiB") {
				t.Errorf("diagnostics = %v", got)
			}
			if steps := dtcg.Steps(d); steps > 4<<20 {
				t.Errorf("resolving takes %d steps", steps)
			}
		})
	}
}

func TestDeepAliasesAreBounded(t *testing.T) {
	d := read(t, object(20_000, func(i int) string {
		if i == 0 {
			return `"t0":{"$type":"string","$value":"x"}`
		}
		return fmt.Sprintf(`"t%d":{"$type":"border","$value":{"color":"{t%d}"}}`, i, i-1)
	}))
	if d.Token("t60").Served == nil || d.Token("t70").Served != nil {
		t.Error("values of 61 levels must be served, values of 71 must not")
	}
	if got := d.Diagnostics()[0]; got.Kind != dtcg.ValueMisfit || !strings.Contains(got.Message, "64 levels") {
		t.Errorf("diagnostic = %v", got)
	}
}

func TestAliasesOfOneLargeValueAreBoundedTogether(t *testing.T) {
	d := read(t, object(100, func(i int) string {
		if i == 0 {
			return `"t0":{"$type":"string","$value":"` + strings.Repeat("x", 900_000) + `"}`
		}
		return fmt.Sprintf(`"t%d":{"$value":"{t0}"}`, i)
	}))
	total := 0
	for i := range d.Tokens {
		if d.Tokens[i].Served != nil {
			total += len(d.Tokens[i].Served.Text)
		}
	}
	if total < 10<<20 || total > 18<<20 {
		t.Errorf("%d bytes are served", total)
	}
}

// A missing alias with a name of megabytes must not be repeated by everything that needs it.
func TestMessagesAreBounded(t *testing.T) {
	d := read(t, object(1000, func(i int) string {
		if i == 0 {
			return `"t0":{"$value":"{` + strings.Repeat("é", 1<<19) + `}"}`
		}
		return fmt.Sprintf(`"t%d":{"$value":"{t%d}"}`, i, i-1)
	}))
	for _, x := range d.Diagnostics() {
		if len(x.Message) > 400 || strings.ToValidUTF8(x.Message, "") != x.Message {
			t.Fatalf("a message has %d bytes: %.200q", len(x.Message), x.Message)
		}
	}
}
