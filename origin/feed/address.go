package feed

import (
	"strconv"
	"strings"

	"example.com/livery/feedproto"
	"example.com/livery/origin/derive"
	"example.com/livery/origin/modes"
	"example.com/livery/renderer/modesheet"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// themeSegment stands in an address in place of a Variant's id: the Theme's own files.
const themeSegment = "-"

// latestSegment stands in an address in place of a version number.
const latestSegment = "latest"

// address names what an edge wants to render.
type address struct {
	environment, theme, variant, version string // as they stand in the served address
	modes                                string // value of the query parameter; empty: there is none
}

// parseAddress reads "{-|variant}/{latest|number}", with "/{modes}" or without. ok is false if a part cannot stand in a
// key of the store.
func parseAddress(environment, theme, at string) (a address, ok bool) {
	parts := append(strings.SplitN(at, "/", 3), "", "")
	a = address{environment, theme, parts[0], parts[1], parts[2]}
	return a, safe(environment, theme, a.variant, a.version) && !strings.HasSuffix(at, "/")
}

// readPair returns what an address is rendered from, with what its overlay is compiled from, or missing.
func readPair(r storage.Reader, a address) (answer feedproto.Pair, source derive.Combination, err error) {
	theme, err := storage.Themes.Read(r, a.environment, a.theme)
	if err != nil {
		return answer, source, orMissing(err, missingTheme)
	}
	if a.variant != themeSegment {
		if _, err := storage.Variants.Read(r, a.environment, a.theme, a.variant); err != nil {
			return answer, source, orMissing(err, missingVariant)
		}
	}
	number, err := a.number(theme)
	if err != nil {
		return answer, source, err
	}
	version, err := storage.ThemeVersions.Read(r, a.environment, a.theme, storage.Number(number))
	if err != nil {
		return answer, source, orMissing(err, missingVersion)
	}
	own, err := a.pair(r, a.variant, version)
	if err == nil {
		source.Pairs = []derive.Pair{own}
		err = a.addModes(r, &source, theme, version)
	}
	if err != nil {
		return answer, source, err
	}
	return feedproto.Pair{
		Version: number, Plan: version.Plan, Module: version.Module, Cursor: r.Cursor().String(),
		Sealed: (theme.LatestVersion > number || source.Sealed()) && (a.modes == "" || a.version != latestSegment),
	}, source, nil
}

// addModes adds the pairs of the modes that the address names: among those of the Theme for latest, which can change at any
// time, and among those of the version for a number.
func (a address) addModes(r storage.Reader, source *derive.Combination, theme record.Theme, version record.ThemeVersion) error {
	if a.modes == "" {
		return nil
	}
	list, brand := version.Modes, a.variant
	if a.version == latestSegment {
		list = theme.Modes
	}
	if brand == themeSegment {
		brand = ""
	}
	chosen, conditional, ok := modes.Select(modes.Of(list, brand), a.modes)
	if !ok {
		return missingModes
	}
	if err := a.prefetch(r, chosen, version); err != nil {
		return err
	}
	if conditional {
		source.Dimensions, source.Modes = chosen, map[string]derive.Pair{}
	}
	for _, d := range chosen {
		for _, m := range d.Modes {
			if m.Variant == "" {
				continue
			}
			// The Variant may be deleted by now: what a version's modes serve of it stays.
			pair, err := a.pair(r, m.Variant, version)
			if err != nil {
				return err
			}
			if conditional {
				source.Modes[m.Variant] = pair
			} else {
				source.Pairs = append(source.Pairs, pair)
			}
		}
	}
	return nil
}

// prefetch reads the pairs of the modes together, if that is cheaper.
func (a address) prefetch(r storage.Reader, chosen []modesheet.Dimension, version record.ThemeVersion) error {
	var keys [][]byte
	for _, d := range chosen {
		for _, m := range d.Modes {
			if m.Variant != "" {
				keys = append(keys, storage.Pairs.Key(a.environment, a.theme, m.Variant, storage.Number(version.Number)))
			}
		}
	}
	return storage.Prefetch(r, keys...)
}

// number reads the version segment: "latest", or a number in its one spelling.
func (a address) number(theme record.Theme) (uint32, error) {
	if a.version == latestSegment {
		if theme.LatestVersion == 0 {
			return 0, missingVersion
		}
		return theme.LatestVersion, nil
	}
	n, err := strconv.ParseUint(a.version, 10, 32)
	if err != nil || n == 0 || strconv.FormatUint(n, 10) != a.version {
		return 0, missingVersion
	}
	return uint32(n), nil
}

// pair returns what a Variant serves at the version: the Theme's own values if nothing is
// recorded. A Theme's own pair is sealed by its publish.
func (a address) pair(r storage.Reader, variant string, version record.ThemeVersion) (p derive.Pair, err error) {
	p = derive.Pair{EnvironmentID: a.environment, ThemeID: a.theme, VariantID: variant, Version: version}
	if variant == themeSegment {
		p.Record.Published = true
		return p, nil
	}
	p.Record, err = storage.Optional(storage.Pairs.Read(r, a.environment, a.theme, variant, storage.Number(version.Number)))
	return p, err
}
