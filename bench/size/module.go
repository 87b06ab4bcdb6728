package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
)

// The numbers of WebAssembly's sections (Core Specification 2.0, section 5.5.2) that are read.
const (
	sectionCustom = 0
	sectionImport = 2
	sectionCode   = 10
	sectionData   = 11
)

// function is one function of a module.
type function struct {
	name string // as the linker spells it; empty where the module has no names
	size int    // of its body in the code section, in bytes
}

// module is what weighs in a module.
type module struct {
	bytes     int // of the whole file
	code      int // of the code section
	data      int // of the data section: tables, texts, types, what the runtime needs for stacks
	functions []function
}

var errModule = errors.New("not a WebAssembly module of the shape that Go links")

// readModule reads a module with its name section.
func readModule(path string) (*module, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	const head = 8 // magic and version
	if len(text) < head || string(text[:4]) != "\x00asm" {
		return nil, errModule
	}
	m := &module{bytes: len(text)}
	imported := 0
	names := map[int]string{}
	for r := (reader{rest: text[head:]}); len(r.rest) > 0; {
		id := r.byte()
		body := reader{rest: r.take(r.number())}
		switch id {
		case sectionImport:
			imported = body.importedFunctions()
		case sectionCode:
			m.code = len(body.rest)
			m.functions = body.functions()
		case sectionData:
			m.data = len(body.rest)
		case sectionCustom:
			if string(body.take(body.number())) == "name" {
				body.names(names)
			}
		}
		if r.failed || body.failed {
			return nil, fmt.Errorf("%s: section %d: %w", path, id, errModule)
		}
	}
	for i := range m.functions {
		m.functions[i].name = names[imported+i]
	}
	return m, nil
}

// reader reads the binary format. After the first fault it reads nothing but zeros.
type reader struct {
	rest   []byte
	failed bool
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.rest) {
		r.failed = true
		r.rest = nil
		return nil
	}
	part := r.rest[:n]
	r.rest = r.rest[n:]
	return part
}

func (r *reader) byte() byte {
	if part := r.take(1); part != nil {
		return part[0]
	}
	return 0
}

// number reads an unsigned LEB128 number.
func (r *reader) number() int {
	value, n := binary.Uvarint(r.rest)
	if n <= 0 || value > 1<<31 {
		r.take(-1)
		return 0
	}
	r.take(n)
	return int(value)
}

// importedFunctions counts them. Go imports nothing else.
func (r *reader) importedFunctions() int {
	count := r.number()
	for range count {
		r.take(r.number())
		r.take(r.number())
		if kind := r.byte(); kind != 0 {
			r.take(-1)
		}
		r.number()
	}
	return count
}

func (r *reader) functions() []function {
	list := make([]function, 0, 4096)
	for count := r.number(); len(list) < count && !r.failed; {
		before := len(r.rest)
		r.take(r.number())
		list = append(list, function{size: before - len(r.rest)})
	}
	return list
}

// names reads the names of functions, which are subsection 1.
func (r *reader) names(into map[int]string) {
	for len(r.rest) > 0 {
		id := r.byte()
		body := reader{rest: r.take(r.number())}
		if id != 1 {
			continue
		}
		for count := body.number(); count > 0 && !body.failed; count-- {
			index := body.number()
			into[index] = string(body.take(body.number()))
		}
	}
}
