package theming

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"example.com/livery/origin/patch"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

// ThemeState is a Theme with what its rules need to see. Nothing it points to is ever changed.
type ThemeState struct {
	Theme record.Theme
	Draft *record.ThemeDraft // nil means that there is none
	Base  *jsontree.Node     // the newest version's document; nil means that none is published

	current *jsontree.Node // what Document returns, if it is known already
}

// Document returns the current document: the draft if there is one, else the newest version, else
// the empty object. The error says that the stored draft cannot be read.
func (s ThemeState) Document() (*jsontree.Node, error) {
	if s.current != nil {
		return s.current, nil
	}
	if s.Draft == nil {
		return s.beneath(), nil
	}
	ops, err := patch.Parse(string(s.Draft.Patch))
	if err != nil {
		return nil, fmt.Errorf("theming: draft of theme %s: %w", s.Theme.ID, err)
	}
	document, _, faults := patch.Apply(s.beneath(), ops, patch.Limits{})
	if len(faults) > 0 {
		return nil, fmt.Errorf("theming: draft of theme %s does not fit version %d: operation %d at %q: %s",
			s.Theme.ID, s.Draft.Base, faults[0].Index, faults[0].Pointer, faults[0].What)
	}
	return document, nil
}

// beneath returns the document that a draft is a patch of.
func (s ThemeState) beneath() *jsontree.Node {
	if s.Base == nil {
		return jsontree.NewObject()
	}
	return s.Base
}

func (s ThemeState) etag() string {
	if s.Draft == nil {
		return ""
	}
	return s.Draft.ETag
}

// Claim is what a writer believes of a draft: the `etag` of the query and the If-Match header. The
// zero Claim says "there was no draft when I read".
type Claim struct {
	ETag    string // of the draft that was seen; empty means none was seen
	IfMatch IfMatch
}

// IfMatch are the etags of an If-Match header, without their quotes; nil means no header, "*" whatever there is.
type IfMatch []string

// Fails reports whether there is a header and it does not name current, which is empty if there is nothing.
func (m IfMatch) Fails(current string) bool {
	return m != nil && (current == "" || !slices.Contains(m, current) && !slices.Contains(m, "*"))
}

// Differs reports whether there is a header that names etags, and this one is not among them.
func (m IfMatch) Differs(etag string) bool {
	return etag != "" && m != nil && !slices.Contains(m, etag) && !slices.Contains(m, "*")
}

// Check compares the claim with the etag of the draft that is there, empty if there is none. It
// returns a payload refusal if query and header name different drafts, IfMatchFailed if the
// header is stale, and StaleETag if the query is.
func (c Claim) Check(current string) error {
	if err := c.check(); err != nil {
		return err
	}
	if c.IfMatch.Fails(current) {
		return Conflicting(IfMatchFailed)
	}
	if c.ETag != current && (c.ETag != "" || c.IfMatch == nil) {
		return Conflicting(StaleETag)
	}
	return nil
}

// check finds the fault that the claim has on its own, before any state is looked at.
func (c Claim) check() error {
	if c.IfMatch.Differs(c.ETag) {
		return refuse(Payload, "etag: the query names one draft and If-Match another; send one of them, or the same value twice")
	}
	return nil
}

// checkBatch is Check for a batch: shape says what is wrong with the operations on their own, which comes before a claim that
// is stale. It is asked then only, because to apply the batch finds that too.
func (c Claim) checkBatch(current string, shape func() error) error {
	err := c.Check(current)
	var refusal *Error
	if !errors.As(err, &refusal) || refusal.Cause != Conflict {
		return err
	}
	return cmp.Or(shape(), err)
}

// Edit is a batch of operations on a Theme's document, or on a Variant's overrides.
type Edit struct {
	Operations []patch.Operation // of a Variant: set or unset, and Path is dotted, as in the Theme
	Claim      Claim
	Strict     bool   // refuse a batch that adds a diagnostic
	NewETag    string // for the draft, if the batch changes it; never used before
	Now        time.Time
	Limits     patch.Limits
}

// EditTheme returns s with the batch applied to its current document and the draft re-derived as
// the smallest patch of the version beneath. A batch that changes nothing, renames that the draft
// remembers among it, returns s as it is; one
// that makes the document equal to the version beneath removes the draft. It returns a payload
// refusal for a claim that contradicts itself, a conflict for a claim that is stale, and a validation
// refusal that lists every fault of the batch and of the document it makes. What is wrong with the
// operations on their own comes before a stale claim.
func EditTheme(s ThemeState, e Edit) (ThemeState, error) {
	err := e.Claim.checkBatch(s.etag(), func() error { return invalid(patchMessages(e.Operations, patch.Check(e.Operations, e.Limits))) })
	if err != nil {
		return ThemeState{}, err
	}
	before, err := s.Document()
	if err != nil {
		return ThemeState{}, err
	}
	after, moves, faults := patch.Apply(before, e.Operations, e.Limits)
	if len(faults) > 0 {
		return ThemeState{}, invalid(patchMessages(e.Operations, faults))
	}
	if after != before {
		err := invalid(treeMessages(e.Operations, dtcg.Check(after)))
		if err == nil && e.Strict {
			err = invalid(addedDiagnostics(diagnose(before, nil), diagnose(after, nil), moves))
		}
		if err != nil {
			return ThemeState{}, err
		}
	}
	same := jsontree.Equal(before, after)
	if same && s.Draft == nil {
		return s, nil
	}
	if s.Draft != nil {
		moves = patch.Compose(s.Draft.Moves, moves)
	}
	moves = patch.Standing(slices.DeleteFunc(moves, ofMetadata), s.beneath(), after)
	if same && slices.Equal(moves, s.Draft.Moves) {
		return s, nil
	}
	return s.redraft(after, moves, e), nil
}

// redraft returns s with after as its current document. moves are the renames that led to it from
// the version beneath.
func (s ThemeState) redraft(after *jsontree.Node, moves []record.Move, e Edit) ThemeState {
	s.Theme.TokenCount, s.Theme.UpdatedAt = CountTokens(after), e.Now
	s.Theme.Bytes = max(s.Theme.Bytes, jsontree.Length(after))
	ops, current := patch.Diff(s.beneath(), after, moves)
	if len(ops) == 0 {
		s.Draft, s.current, s.Theme.DraftETag = nil, nil, ""
		return s
	}
	s.Draft = &record.ThemeDraft{
		ETag: e.NewETag, Base: s.Theme.LatestVersion, Patch: patch.Append(nil, ops), Moves: moves, UpdatedAt: e.Now,
	}
	s.current, s.Theme.DraftETag = current, e.NewETag
	return s
}

// ofMetadata reports whether a move is one of metadata ($value, $type, …) and so renames nothing.
func ofMetadata(m record.Move) bool { return throughMetadata(m.From) || throughMetadata(m.To) }

func throughMetadata(pointer string) bool {
	p, ok := jsontree.ParsePointer(pointer)
	return !ok || slices.ContainsFunc(p, dtcg.IsMetadata)
}

// DiscardTheme returns s without its draft. baseTokenCount is the number of tokens of the newest
// version, 0 if there is none. Without a draft, and if none was claimed, nothing changes. It
// returns a payload refusal for a claim that contradicts itself, and a conflict for a stale one.
func DiscardTheme(s ThemeState, c Claim, baseTokenCount int, now time.Time) (ThemeState, error) {
	if err := c.Check(s.etag()); err != nil {
		return ThemeState{}, err
	}
	if s.Draft == nil {
		return s, nil
	}
	s.Draft, s.current = nil, nil
	s.Theme.DraftETag, s.Theme.TokenCount, s.Theme.UpdatedAt = "", baseTokenCount, now
	return s, nil
}
