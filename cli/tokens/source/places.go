package source

import (
	"path/filepath"
	"slices"
	"strings"

	"example.com/livery/cli/tokenfile"
)

// setPlaces sets the places at which gridFiles looks for files that stand deeper than acme/light.json: for
// acme/light/color.json and acme/tokens/light.json as if they were acme/light.json, for light/acme/color.json as if it
// were light/acme.json. The mode is the last folder that is called as one, else the file. The brand is the last folder
// above the mode that has another beside it with a file of the mode, or each one of no mode, in the same place, else the
// folder below the mode.
// Files of no mode that stand in the folder of a brand are of the brand. If files have one place and most of their
// tokens in common, their folders say more than a brand and a mode, and none of them is moved.
func setPlaces(files []*tokenFile) {
	routes, beside, usual, isBrand := routesOf(files), map[string][]string{}, map[string][]string{}, map[string]bool{}
	for _, r := range routes {
		for at := range r.mode {
			beside[r.without(at)] = tokenfile.AppendNew(beside[r.without(at)], r.names[at])
		}
		for at := range len(r.names) - 1 {
			if r.mode < 0 {
				usual[r.inNoMode(at)] = append(usual[r.inNoMode(at)], r.upTo(at))
			}
		}
	}
	pairs := map[string][]string{} // of a folder, with itself: those with a file of no mode in the same place
	for _, folders := range usual {
		for _, folder := range folders {
			if len(folders) > 1 {
				pairs[folder] = append(pairs[folder], folders...)
			}
		}
	}
	for _, r := range routes {
		for at := r.mode - 1; at >= 0; at-- {
			pair := pairs[r.upTo(at)]
			for _, folder := range pair {
				isBrand[folder] = true
			}
			if len(beside[r.without(at)]) > 1 || len(pair) > 0 {
				isBrand[r.upTo(at)] = true
				break
			}
		}
	}
	in, isFull := map[string][]*tokenFile{}, map[string]bool{}
	for i, f := range files {
		if f.place = routes[i].place(isBrand); f.place != "" {
			in[f.place] = append(in[f.place], f)
		}
	}
	for _, same := range in {
		p := newPaths(same)
		if slices.ContainsFunc(same, func(f *tokenFile) bool { return p.haveMost(f, 2) }) {
			isFull[same[0].above()] = true
		}
	}
	for _, f := range files {
		if isFull[f.above()] {
			f.place = ""
		}
	}
}

// route is the way to a file: the names of its folders and its own, and which of them says a mode.
type route struct {
	names []string
	mode  int    // its place among the names; -1 if none says one
	said  string // the mode
}

// routesOf returns the routes of files, those of files that cannot be called as a mode without names. A folder says a
// mode if it is called as one, and if one of that name somewhere has another such beside it, or a file.
func routesOf(files []*tokenFile) []route {
	routes, inside, isMode := make([]route, len(files)), map[string][]string{}, map[string]bool{}
	for i, f := range files {
		if f.place, routes[i].mode = "", -1; !f.mayBeNamed() {
			continue
		}
		names := strings.Split(filepath.ToSlash(f.name), "/")
		names[len(names)-1] = f.stem()
		routes[i].names = names
		for at, name := range names {
			folder := routes[i].upTo(at - 1)
			switch {
			case at == len(names)-1:
				inside[folder] = tokenfile.AppendNew(inside[folder], "")
			case tokenfile.IsModeName(name):
				inside[folder] = tokenfile.AppendNew(inside[folder], name)
			}
		}
	}
	for _, names := range inside {
		for _, name := range names {
			isMode[name] = isMode[name] || len(names) > 1
		}
	}
	for i, f := range files {
		r := &routes[i]
		for at := range max(0, len(r.names)-1) {
			if name := r.names[at]; tokenfile.IsModeName(name) && isMode[name] {
				r.mode, r.said = at, name
			}
		}
		if _, mode := cutMode(f.stem()); r.mode < 0 && mode != "" && r.names != nil {
			r.mode, r.said = len(r.names)-1, mode
		}
	}
	return routes
}

// upTo is the route to one of the folders.
func (r route) upTo(at int) string { return strings.Join(r.names[:at+1], "/") }

// without is the route to the mode with any folder in place of one.
func (r route) without(at int) string {
	return strings.Join(slices.Concat(r.names[:at], []string{"*"}, r.names[at+1:r.mode], []string{r.said}), "/")
}

// inNoMode is the route to a file of no mode with any folder in place of one.
func (r route) inNoMode(at int) string {
	return strings.Join(slices.Concat(r.names[:at], []string{"*"}, r.names[at+1:]), "/")
}

// place is the name that the file would have if there were no folders but those of the brand and the mode; empty if it
// has it, or is of no brand.
func (r route) place(isBrand map[string]bool) string {
	last := len(r.names) - 1
	for at := last - 1; at >= 0; at-- {
		switch {
		case !isBrand[r.upTo(at)]:
		case at == last-1:
			return ""
		case r.mode > at:
			return r.upTo(at) + "/" + r.names[r.mode] + ".json"
		default:
			return r.upTo(at) + "/" + r.names[last] + ".json"
		}
	}
	if r.mode >= 0 && r.mode+1 < last {
		return r.upTo(r.mode+1) + ".json"
	}
	return ""
}
