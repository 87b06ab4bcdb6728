//go:build wasip1

package main

import (
	"errors"
	"runtime"

	"example.com/livery/renderer"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/wasm/abi"
)

// collectFrom is how many bytes are read and written between two collections. Go's collector works
// in the background, and a module has next to none: it gets no turn while the host waits for a call,
// and the host is back as soon as the call ends. Left to itself it let memory grow with every render.
const collectFrom = 1 << 20

// spent is how many bytes were read and written since the last collection.
var spent int

// spend collects where enough garbage may have come together. The caller has let go of what it
// no longer needs.
func spend(bytes int) {
	spent += bytes
	if spent >= collectFrom {
		runtime.GC()
		spent = 0
	}
}

// holder keeps what was rendered last, by content: the five files of one version need one parse and
// one resolution, and one more Variant of a version no parse of its Theme.
type holder struct {
	themeText     string
	theme         *jsontree.Node // parsed themeText; nil: nothing is held
	overridesText string
	prefix        string
	set           *renderer.Set // of theme, overridesText and prefix; nil where only the Theme is held
}

// hold makes held.set the Set of the three texts, which belong to the host: it keeps copies. The
// position of a fault is in bytes from the start of the text that the status names.
func (h *holder) hold(theme, overrides, prefix []byte) (abi.Status, int) {
	if h.theme == nil || h.themeText != string(theme) {
		*h = holder{}
		spend(len(theme))
		text := string(theme)
		node, position := parse(text)
		if node == nil {
			return abi.StatusBadTheme, position
		}
		h.themeText, h.theme = text, node
	}
	if h.set != nil && h.overridesText == string(overrides) && h.prefix == string(prefix) {
		return abi.StatusOK, 0
	}
	return h.load(string(overrides), string(prefix))
}

func (h *holder) load(overridesText, prefix string) (abi.Status, int) {
	h.set = nil
	spend(len(h.themeText) + len(overridesText))
	var overrides *jsontree.Node
	if overridesText != "" {
		node, position := parse(overridesText)
		if node == nil {
			return abi.StatusBadOverrides, position
		}
		overrides = node
	}
	h.overridesText, h.prefix = overridesText, prefix
	h.set = renderer.LoadTree(h.theme, overrides, prefix)
	return abi.StatusOK, 0
}

// parse returns the object in text, or nil and the position of the fault.
func parse(text string) (*jsontree.Node, int) {
	node, err := jsontree.Parse(text)
	if syntax := (*jsontree.SyntaxError)(nil); errors.As(err, &syntax) {
		return nil, syntax.Offset
	}
	if depth := (*jsontree.DepthError)(nil); errors.As(err, &depth) {
		return nil, depth.Offset
	}
	if err != nil || !node.IsObject() {
		return nil, 0
	}
	return node, 0
}
