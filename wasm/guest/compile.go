//go:build wasip1

package main

import (
	"example.com/livery/renderer"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/wasm/abi"
)

// source is what compile holds between calls, by content: all files of one Theme need one reading of
// it, and one more Variant none. The zero value holds nothing.
type source struct {
	theme     string
	prefix    string
	compiled  *renderer.CompiledTheme // of theme and prefix; nil: none
	overrides string
	set       *renderer.Set // of compiled and overrides; nil: none
	answer    []byte        // what the host may be reading
}

var last source

// compileCost is about how many bytes are asked for to compile one byte of a document.
const compileCost = 16

//go:wasmexport compile
func compile(kind, file, themeLen, overridesLen, prefixLen uint32) uint32 {
	if kind >= abi.KindCount {
		return refuse(abi.StatusBadKind, 0)
	}
	if file >= renderer.FileCount {
		return refuse(abi.StatusBadFile, 0)
	}
	if uint64(themeLen)+uint64(overridesLen)+uint64(prefixLen) > uint64(len(inputBuffer)) {
		return refuse(abi.StatusBadInput, 0)
	}
	last.answer, output = nil, nil
	spend(0)
	theme, rest := inputBuffer[:themeLen], inputBuffer[themeLen:]
	if status, position := last.hold(theme, rest[overridesLen:][:prefixLen]); status != abi.StatusOK {
		return refuse(status, position)
	}
	if abi.Kind(kind) == abi.KindPlan {
		return compiled(last.compiled.Plan(renderer.File(file)))
	}
	if status, position := last.load(rest[:overridesLen]); status != abi.StatusOK {
		return refuse(status, position)
	}
	spent += len(last.compiled.Plan(renderer.File(file))) // making an overlay renders the file once more
	return compiled(last.compiled.Overlay(last.set, renderer.File(file)))
}

// compiled answers with a blob; the renderer gives none if a file is too large.
func compiled(blob []byte) uint32 {
	if blob == nil || len(blob) > abi.MaxPlanBytes {
		return refuse(abi.StatusTooLarge, 0)
	}
	spent += len(blob)
	last.answer = blob
	return answerBytes(blob)
}

// hold compiles the Theme unless it is the one that is held. The texts belong to the host: it keeps
// copies. The position of a fault is in bytes from the start of the text that the status names.
func (s *source) hold(theme, prefix []byte) (abi.Status, int) {
	if s.compiled != nil && s.theme == string(theme) && s.prefix == string(prefix) {
		return abi.StatusOK, 0
	}
	*s = source{}
	spend(compileCost * len(theme))
	text := string(theme)
	node, position := parse(text)
	if node == nil {
		return abi.StatusBadTheme, position
	}
	s.theme, s.prefix = text, string(prefix)
	s.compiled = renderer.Compile(node, s.prefix)
	return abi.StatusOK, 0
}

// load lays the overrides over the Theme that is held, unless they lie there.
func (s *source) load(overrides []byte) (abi.Status, int) {
	if s.set != nil && s.overrides == string(overrides) {
		return abi.StatusOK, 0
	}
	s.set = nil
	spend(compileCost * (len(s.theme) + len(overrides)))
	text := string(overrides)
	var node *jsontree.Node
	if text != "" {
		parsed, position := parse(text)
		if parsed == nil {
			return abi.StatusBadOverrides, position
		}
		node = parsed
	}
	s.overrides, s.set = text, s.compiled.Load(node)
	return abi.StatusOK, 0
}

// parse returns the object in text, or nil and the position of the fault.
func parse(text string) (*jsontree.Node, int) {
	node, err := jsontree.Parse(text)
	switch fault := err.(type) { // package errors would bring reflection into the module
	case *jsontree.SyntaxError:
		return nil, fault.Offset
	case *jsontree.DepthError:
		return nil, fault.Offset
	}
	if err != nil || !node.IsObject() {
		return nil, 0
	}
	return node, 0
}
