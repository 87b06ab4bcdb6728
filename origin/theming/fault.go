package theming

import (
	"strconv"
	"strings"

	"example.com/livery/origin/patch"
	"example.com/livery/renderer/dtcg"
)

// patchMessages returns the messages of faults of operations.
func patchMessages(ops []patch.Operation, faults []patch.Fault) []string {
	messages := make([]string, len(faults))
	for i, f := range faults {
		messages[i] = "operations[" + strconv.Itoa(f.Index) + "] (" + quoteWord(ops[f.Index].Op) + " " + quote(f.Pointer) + "): " + f.What
	}
	return messages
}

// treeMessages returns the messages of faults of a document. A fault at or below a place that
// an operation wrote names the last such operation.
func treeMessages(ops []patch.Operation, faults []dtcg.Fault) []string {
	if len(faults) == 0 {
		return nil
	}
	wrote := make(map[string]int, len(ops))
	for i := range ops {
		if ops[i].Op != "remove" {
			wrote[ops[i].Path] = i
		}
	}
	messages := make([]string, len(faults))
	for i, f := range faults[:min(len(faults), maxMessages)] { // the rest is only counted
		messages[i] = quote(f.Pointer) + ": " + f.Message
		for end := len(f.Pointer); end > 0; end = strings.LastIndexByte(f.Pointer[:end], '/') {
			if index, ok := wrote[f.Pointer[:end]]; ok {
				messages[i] = "operations[" + strconv.Itoa(index) + "]: " + messages[i]
				break
			}
		}
	}
	return messages
}

// quoteWord returns an operation's name, in quotes if it is not an ordinary word.
func quoteWord(s string) string {
	for i := range len(s) {
		if s[i] < 'a' || s[i] > 'z' || i > 20 {
			return quote(s)
		}
	}
	if s == "" {
		return quote(s)
	}
	return s
}
