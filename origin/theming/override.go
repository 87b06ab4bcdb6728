package theming

import (
	"fmt"
	"strconv"

	"example.com/livery/origin/patch"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

// VariantState is a Variant with what its rules need to see. Nothing it points to is ever changed.
type VariantState struct {
	Variant record.Variant
	Draft   *record.VariantDraft // nil means that there is none
	Served  *jsontree.Node       // the flat map that (Variant, newest Theme version) serves; nil: none

	ServedBlob record.Hash // the name of Served, which a Release may know without it; empty means unknown, or none
}

// Overrides returns the current overrides, a flat object from dotted path to value: the draft if
// there is one, else what is served, else none. The error says that the stored draft cannot be read.
func (s VariantState) Overrides() (*jsontree.Node, error) {
	if s.Draft == nil {
		return s.beneath(), nil
	}
	n, err := jsontree.Parse(string(s.Draft.Overrides))
	if err != nil {
		return nil, fmt.Errorf("theming: draft of variant %s: %w", s.Variant.ID, err)
	}
	if !n.IsObject() {
		return nil, fmt.Errorf("theming: draft of variant %s is a %s", s.Variant.ID, n.Kind)
	}
	return n, nil
}

// beneath returns what a draft that is discarded falls back to.
func (s VariantState) beneath() *jsontree.Node {
	if s.Served == nil {
		return jsontree.NewObject()
	}
	return s.Served
}

func (s VariantState) etag() string {
	if s.Draft == nil {
		return ""
	}
	return s.Draft.ETag
}

// EditVariant returns s with the batch applied to its current overrides. document is the current
// document of its Theme t, which only e.Strict looks at: a Variant may override what the Theme
// lacks. A batch that changes nothing returns s as it is; one that makes the overrides equal to
// what is served removes the draft, unless that draft is the migration of an older version. It
// returns a payload refusal for a claim that contradicts itself, a validation refusal that lists
// every fault of the operations on their own, a conflict for a claim that is stale, and then a
// validation refusal for what they would make of the overrides.
func EditVariant(t record.Theme, document *jsontree.Node, s VariantState, e Edit) (VariantState, error) {
	if err := e.Claim.checkBatch(s.etag(), e.checkOperations); err != nil {
		return VariantState{}, err
	}
	before, err := s.Overrides()
	if err != nil {
		return VariantState{}, err
	}
	after, err := applyOverrides(before, document, e)
	if err != nil {
		return VariantState{}, err
	}
	if jsontree.Equal(before, after) {
		return s, nil
	}
	return s.redraft(t, after, e), nil
}

// checkOperations refuses the operations for what is wrong with them on their own.
func (e Edit) checkOperations() error {
	var messages []string
	for i, op := range e.Operations {
		for _, what := range checkVariantOperation(op, e.Limits) {
			messages = append(messages, "operations["+strconv.Itoa(i)+"] ("+quoteWord(op.Op)+" "+quote(op.Path)+"): "+what)
		}
	}
	return invalid(messages)
}

func applyOverrides(before, document *jsontree.Node, e Edit) (*jsontree.Node, error) {
	if err := e.checkOperations(); err != nil {
		return nil, err
	}
	after := overlay(before, e.Operations)
	if size := len(jsontree.Append(nil, after)); e.Limits.MaxBytes > 0 && size > e.Limits.MaxBytes {
		return nil, invalid([]string{"operations: the overrides would grow to " + strconv.Itoa(size) + " bytes; the limit is " + strconv.Itoa(e.Limits.MaxBytes)})
	}
	if e.Strict {
		return after, invalid(addedDiagnostics(diagnose(document, before), diagnose(document, after), nil))
	}
	return after, nil
}

// overlay sets and unsets paths, the last operation on a path winning. A path that is set again
// keeps its place.
func overlay(before *jsontree.Node, ops []patch.Operation) *jsontree.Node {
	places := make(map[string]int, len(before.Members)+len(ops))
	members := make([]jsontree.Member, 0, len(before.Members)+len(ops))
	for i, m := range before.Members {
		places[m.Name], members = i, append(members, m)
	}
	for _, op := range ops {
		i, known := places[op.Path]
		switch {
		case op.Op == "set" && known:
			members[i].Value = op.Value
		case op.Op == "set":
			places[op.Path], members = len(members), append(members, jsontree.Member{Name: op.Path, Value: op.Value})
		case known:
			members[i].Value = nil
			delete(places, op.Path)
		}
	}
	rest := members[:0]
	for _, m := range members {
		if m.Value != nil {
			rest = append(rest, m)
		}
	}
	n := jsontree.NewObject(rest...)
	n.Index()
	return n
}

// redraft returns s with after as its current overrides.
func (s VariantState) redraft(t record.Theme, after *jsontree.Node, e Edit) VariantState {
	s.Variant.TokenCount, s.Variant.UpdatedAt = len(after.Members), e.Now
	addressed := t.LatestVersion
	if s.Draft != nil {
		addressed = s.Draft.Addressed
	}
	if s.dissolves(t, addressed) && jsontree.Equal(s.beneath(), after) {
		s.Draft, s.Variant.DraftETag = nil, ""
		return s
	}
	s.Draft = &record.VariantDraft{
		ETag: e.NewETag, Addressed: addressed, Overrides: jsontree.Append(nil, after), UpdatedAt: e.Now,
	}
	s.Variant.DraftETag, s.Variant.Bytes = e.NewETag, max(s.Variant.Bytes, len(s.Draft.Overrides))
	return s
}

// dissolves reports whether a draft that is addressed to a Theme version may end by equality. One
// that a Theme publish left for review may not: such a draft is addressed past what the Variant
// published, and its Variant is older than that publish.
func (s VariantState) dissolves(t record.Theme, addressed uint32) bool {
	return addressed <= s.Variant.LatestVersion || s.Variant.CreatedAt.After(t.PublishedAt)
}
