package render

import (
	"fmt"
	"strings"

	"example.com/livery/renderer/jsontree"
)

// theme spells a Theme of n tokens as design systems are built: one in five is a colour or a size of
// the palette, two are aliases of these, one an alias of an alias, one a composite.
func theme(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"%s":%s`, name(i), token(i, n))
	}
	return "{" + b.String()[1:] + "}"
}

func name(i int) string { return fmt.Sprintf("t%05d", i) }

func token(i, n int) string {
	base := i - i%5
	switch i % 5 {
	case 0:
		if i%10 == 0 {
			return fmt.Sprintf(`{"$type":"color","$value":"#%06x"}`, i*7919%(1<<24))
		}
		return fmt.Sprintf(`{"$type":"dimension","$value":{"value":%d,"unit":"px"}}`, i%64)
	case 1, 2:
		return fmt.Sprintf(`{"$value":"{%s}","$description":"role %d"}`, name(base), i)
	case 3:
		return fmt.Sprintf(`{"$value":"{%s}"}`, name(base+1))
	}
	color, size := base-base%10, (base-base%10+5)%n
	return fmt.Sprintf(`{"$type":"border","$value":{"color":"{%s}","width":"{%s}","style":"solid"}}`, name(color), name(size))
}

// brand spells overrides of count tokens, spread over all of the first n.
func brand(n, count int) string {
	var b strings.Builder
	for i := range count {
		at := i * n / count
		value := fmt.Sprintf(`"#%06x"`, (i+1)*104729%(1<<24))
		if (at-at%5)%10 != 0 {
			value = fmt.Sprintf(`"%dpx"`, i%90+1)
		}
		if at%5 == 4 {
			value = fmt.Sprintf(`{"color":"#%06x","width":"3px","style":"dashed"}`, i)
		}
		fmt.Fprintf(&b, `,"%s":%s`, name(at), value)
	}
	return "{" + b.String()[1:] + "}"
}

// tree parses a text of ours.
func tree(text string) *jsontree.Node {
	n, err := jsontree.Parse(text)
	if err != nil {
		panic("render: a document of ours is not valid JSON: " + err.Error())
	}
	return n
}
