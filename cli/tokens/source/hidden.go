package source

import (
	"slices"

	"example.com/livery/cli/tokenfile"
	"example.com/livery/cli/tokens/validate"
	"example.com/livery/renderer/jsontree"
)

// hidden is a value in whose place that of a later part counts. Another choice of modes may have it.
type hidden struct {
	path, pointer string // of the token, in the tree
	at, by        spot   // of the value, and of the one that counts
	isLost        bool   // if no choice has it: parts are not meant to be laid over this one
	why           string // it is lost, if a token stands where it has a group, or the other way; else empty
}

// key is the value with its token, and place its file and pointer.
func (h hidden) key() string   { return string(jsontree.Append([]byte(h.pointer), h.at.value)) }
func (h hidden) place() string { return h.at.file.name + h.at.pointer }

// show notes which values the document of a choice of modes has. Of those that it hides it keeps what no document before
// has, and the defaults do not hide.
func (s *System) show(read *Sources) {
	var key []byte
	for pointer, at := range read.at {
		if at.value != nil {
			key = jsontree.Append(append(key[:0], pointer...), at.value)
			s.shown[string(key)] = true
		}
	}
	read.hidden = slices.DeleteFunc(read.hidden, func(h hidden) bool { return s.hidden[h.place()] || s.shown[h.key()] })
}

// NameHidden names the values that none of the documents has that were read, in the first of some that hides one. A
// value that parts are meant to be laid over is read otherwise than it is written, and another one is lost.
func (s *System) NameHidden(all ...*Sources) {
	isNamed := map[string]bool{}
	for _, read := range all {
		for _, h := range read.hidden {
			if s.shown[h.key()] || isNamed[h.place()] {
				continue
			}
			isNamed[h.place()] = true
			reason := "neither the Theme nor a Variant has this value, for that of " + h.by.String() + " counts; remove one of the two, or give each a mode"
			switch {
			case h.why != "":
				read.Faults = append(read.Faults, h.fault())
			case h.isLost:
				read.Faults = append(read.Faults, validate.Dropped{Path: h.path, Reason: h.at.String() + ": " + reason, Tokens: 1, Value: tokenfile.Spelled(h.at.value)})
			default:
				read.read = append(read.read, h.concession(reason))
			}
		}
	}
}

// nameReplaced names the values of one document that no other has: where a token is a group in a later file, and those of
// a resolver document that another source of the same context, or of a set, replaces.
func (s *Sources) nameReplaced() {
	for _, h := range s.hidden {
		switch {
		case h.why != "":
			s.Faults = append(s.Faults, h.fault())
		case h.at.file.resolver != nil && h.at.file.context == h.by.file.context:
			s.read = append(s.read, h.concession("no choice of contexts has this value, for that of "+h.by.String()+" counts; remove one of the two"))
		}
	}
}

func (h hidden) fault() validate.Dropped {
	return validate.Dropped{Path: h.path, Reason: h.at.String() + ": " + h.why, Tokens: 1}
}

func (h hidden) concession(reason string) concession {
	message := tokenfile.Spelled(h.at.value) + ": " + reason
	return concession{tokenfile.Concession{Kind: "values in no result", Pointer: h.at.pointer, Path: h.path, Message: message}, h.at}
}
