package edge_test

import (
	"encoding/json"
	"maps"
	"strings"

	"example.com/livery/feedproto"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

// fedMode is a mode of a Theme, in the order of its list, with what it overrides at every version.
type fedMode struct{ dimension, mode, overrides string }

// mode adds a mode to a Theme.
func (f *feed) mode(themeID, dimension, name, overrides string) {
	f.edit(themeID, func(t *fedTheme) { t.modes = append(t.modes, fedMode{dimension, name, overrides}) })
}

// inModes returns a pair in modes: with the overlay of what the Variant and the modes override, one over the other. In
// dimensions alone all their modes lie over one another: an edge does not know what a style sheet holds. As an origin
// does, it keeps the overlay for a while only: forgetOverlays ends that. f.mu is held.
func (f *feed) inModes(t *fedTheme, p feedproto.Pair, variant, modes string) (feedproto.Pair, string) {
	merged, next := map[string]json.RawMessage{}, 0
	lay := func(overrides string) {
		if err := json.Unmarshal([]byte(overrides), &merged); err != nil {
			f.t.Error(err)
		}
	}
	if own, ok := t.changed[variant][p.Version]; ok {
		lay(own)
	}
	for part := range strings.SplitSeq(modes, ",") {
		dimension, mode, single := strings.Cut(part, ".")
		found := false
		for i, m := range t.modes {
			if i >= next && m.dimension == dimension && (!single || m.mode == mode) {
				found, next = true, i+1
				lay(m.overrides)
			}
		}
		if !found {
			return p, feedproto.MissingModes
		}
	}
	text, err := json.Marshal(merged)
	if err != nil {
		f.t.Error(err)
	}
	tree, err := jsontree.Parse(string(text))
	if err != nil {
		f.t.Error(err)
		return p, feedproto.MissingModes
	}
	overlay := overlayOf(t.compiled[p.Version-1], tree)
	p.Overlay = record.HashOf(overlay)
	f.blobs[p.Overlay] = overlay
	return p, ""
}

// forgetOverlays forgets the overlays of modes, which come with their pairs only from then on.
func (f *feed) forgetOverlays() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.inputs = func(p *feedproto.PairInputs) { delete(f.blobs, p.Overlay) }
	for _, t := range f.themes {
		kept := map[record.Hash]bool{}
		for _, versions := range t.variants {
			for _, p := range versions {
				kept[p.Overlay] = true
			}
		}
		for _, p := range t.versions {
			kept[p.Plan], kept[p.Module] = true, true
		}
		maps.DeleteFunc(f.blobs, func(name record.Hash, _ []byte) bool { return !kept[name] })
	}
}
