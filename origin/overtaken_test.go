package origin

import (
	"strings"
	"testing"

	"example.com/livery/storage/record"
)

// overtaken sends a request of the owner and lets between happen after it was judged.
func (h *house) overtaken(path string, route Route, q request, between func()) (a answer, err error) {
	h.t.Helper()
	if q.caller, err = h.origin.keys.Verify([]string{"Bearer " + h.token(owner)}); err != nil {
		h.t.Fatal(err)
	}
	parts := strings.Split(path, "/")
	q.environmentID, q.themeID = parts[2], parts[4]
	if len(parts) > 6 {
		q.variantID = parts[6]
	}
	prepared := route.write
	q.route = route
	q.route.write = func(o *Origin, q *request) (write, error) {
		do, err := prepared(o, q)
		between()
		return do, err
	}
	return h.origin.run(&q)
}

// What happens between a judgement and its commit is neither lost nor undone (S165 S171 S182 S185, decisions 1.4, 3.1, 5.4).
func TestOvertakenJudgementsAreMadeAgain(t *testing.T) {
	publish := Route{"POST", themeTokensPath + "/publish", record.Editor, nil, (*Origin).publishTheme}
	publishVariant := Route{"POST", variantTokensPath + "/publish", record.Editor, nil, (*Origin).publishVariant}
	editTheme := Route{"PATCH", themeTokensPath, record.Editor, nil, (*Origin).editTheme}
	editVariant := Route{"PATCH", variantTokensPath, record.Editor, nil, (*Origin).editVariant}
	const blue, override = `[{"operation":"add","path":"/blue","value":{"$value":1}}]`, `[{"operation":"set","path":"red","value":"#000000"}]`
	type scene struct {
		*house
		theme, variant string
	}
	draftOf := func(s scene, path string) string { return listedTokens(t, s.want(200, "GET", path+"/tokens", "")) }
	for name, c := range map[string]struct {
		route     Route
		ofVariant bool
		body      string
		between   func(s scene)
		want      int
		after     func(s scene) any
		state     any
	}{
		"a publish keeps a Variant's edit": {
			publish, false, "", func(s scene) { s.patch(s.variant, override) }, 200,
			func(s scene) any { return draftOf(s, s.variant) }, "red=#000000",
		},
		"a publish leaves a draft to a Variant made meanwhile": {
			publish, false, "", func(s scene) { s.variant = s.house.variant(s.theme, "new") }, 200,
			func(s scene) any { return s.countKeys('d') }, 2,
		},
		"a publish does not bring a Variant back": {
			publish, false, "", func(s scene) { s.want(200, "DELETE", s.variant, "") }, 200,
			func(s scene) any { return s.countKeys('V') + s.countKeys('d') }, 0,
		},
		"a publish takes an edit along": {
			publish, false, "", func(s scene) { s.patch(s.theme, blue) }, 200,
			func(s scene) any { return listedTokens(t, s.want(200, "GET", s.theme+"/tokens?version=1", "")) }, "red=#ff0000 blue=1",
		},
		"a publish finds the draft published": {
			publish, false, "", func(s scene) { s.house.publish(s.theme) }, 409,
			func(s scene) any { return s.countKeys('N') }, 1,
		},
		"a publish finds the Theme deleted": {
			publish, false, "", func(s scene) { s.want(200, "DELETE", s.theme, "") }, 404,
			func(s scene) any { return s.countKeys('H') + s.countKeys('N') }, 0,
		},
		"a publish of a Variant that had nothing to publish stays refused": {
			publishVariant, true, "", func(s scene) { s.house.publish(s.theme) }, 409,
			func(s scene) any { return s.want(200, "GET", s.variant, "").object(t)["latestVersion"] }, nil,
		},
		"an edit of the Theme finds another": {
			editTheme, false, blue, func(s scene) { s.patch(s.theme, blue) }, 409,
			func(s scene) any { return draftOf(s, s.theme) }, "red=#ff0000 blue=1",
		},
		"an edit of the Theme finds its operation refused": {
			editTheme, false, `[{"operation":"remove","path":"/red"}]`,
			func(s scene) {
				s.patch(s.theme, `[{"operation":"remove","path":"/red"},{"operation":"add","path":"/blue","value":{"$value":1}}]`)
			}, 400,
			func(s scene) any { return draftOf(s, s.theme) }, "blue=1",
		},
		"an edit of the Theme keeps its new name": {
			editTheme, false, blue, func(s scene) { s.want(200, "PUT", s.theme, `{"slug":"brand","displayName":"New"}`) }, 200,
			func(s scene) any { return s.want(200, "GET", s.theme, "").object(t)["displayName"] }, "New",
		},
		"an edit of a Variant goes with one of its Theme": {
			editVariant, true, override, func(s scene) { s.patch(s.theme, blue) }, 200,
			func(s scene) any { return draftOf(s, s.variant) }, "red=#000000",
		},
		"an edit of a Variant finds the draft that a publish left": {
			editVariant, true, override, func(s scene) { s.house.publish(s.theme) }, 409,
			func(s scene) any { return draftOf(s, s.variant) }, "",
		},
		"an edit of a Variant finds it deleted": {
			editVariant, true, override, func(s scene) { s.want(200, "DELETE", s.variant, "") }, 404,
			func(s scene) any { return s.countKeys('V') + s.countKeys('d') }, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := scene{house: newHouse(t)}
			s.theme = s.house.theme("brand")
			s.variant = s.house.variant(s.theme, "dark")
			path, query := s.theme, map[string][]string{"etag": {s.patch(s.theme, red)}}
			if c.ofVariant {
				path, query = s.variant, nil
			}
			if c.body != "" {
				c.body = ops(c.body)
			}
			a, err := s.overtaken(path, c.route, request{query: query, body: c.body}, func() { c.between(s) })
			if err != nil {
				a = refusedFor(err)
			}
			if a.status != c.want {
				t.Errorf("answer = %d %s, %v, want %d", a.status, a.body, err, c.want)
			}
			if got := c.after(s); got != c.state {
				t.Errorf("afterwards there is %v, want %v", got, c.state)
			}
		})
	}
}
