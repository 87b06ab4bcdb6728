package patch_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"example.com/livery/origin/patch"
	"example.com/livery/renderer/jsontree"
)

// suites is where the official test suites lie, beside the repository.
const suites = "../../../shared/suites/"

// records reads a list of records that is lenient about what stands inside a record.
func records(t *testing.T, name string) (list []json.RawMessage) {
	t.Helper()
	if err := json.Unmarshal(read(t, name), &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// suite reads a file of the suites as one document.
func suite(t *testing.T, name string) *jsontree.Node {
	t.Helper()
	return parse(t, string(read(t, name)))
}

// read reads a file of the suites, or skips the test if they are absent.
func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(suites + name)
	if os.IsNotExist(err) {
		t.Skipf("the suite %s is not there", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The official JSON Patch suite holds for the five operations that the API offers. What cannot be
// held to it is counted and named: operations named `test` are dropped (a record whose failure is
// that of a `test` proves nothing without it), and the empty pointer is refused by decision 4.2.
func TestOfficialSuiteOfJSONPatch(t *testing.T) {
	t.Parallel()
	ran, why := 0, map[string][]string{}
	for _, file := range []string{"tests.json", "spec_tests.json"} {
		for _, raw := range records(t, "rfc6902-json-patch-tests/"+file) {
			r, err := jsontree.Parse(string(raw))
			if err != nil {
				why["the record itself is refused as JSON"] = append(why["the record itself is refused as JSON"], string(raw))
				continue
			}
			name := file + " " + recordName(r)
			if reason := unfit(r); reason != "" {
				why[reason] = append(why[reason], name)
				continue
			}
			ran++
			t.Run(name, func(t *testing.T) { runRecord(t, r) })
		}
	}
	for reason, names := range why {
		t.Logf("%d records left out, %s: %s", len(names), reason, strings.Join(names, "; "))
	}
	t.Logf("%d records ran", ran)
	if ran < 75 {
		t.Errorf("%d records ran, want at least 75: too much of the suite is left out", ran)
	}
}

func recordName(r *jsontree.Node) string {
	if c := r.Find("comment"); c.IsString() {
		return c.Text
	}
	if c := r.Find("error"); c.IsString() {
		return c.Text
	}
	return "record " + string(jsontree.Append(nil, r.Find("patch")))
}

// unfit says why a record is left out.
func unfit(r *jsontree.Node) string {
	if r.Find("disabled") != nil {
		return "disabled by the suite"
	}
	tests := 0
	for _, op := range r.Find("patch").Items() {
		if path := op.Find("path"); r.Find("error") == nil && path.IsString() && path.Text == "" && op.Find("op").Text != "test" {
			return "the empty pointer is refused (decision 4.2)"
		}
		if op.Find("op").IsString() && op.Find("op").Text == "test" {
			tests++
		}
	}
	if tests > 0 && r.Find("error") != nil {
		return "the failure is that of a test operation, which is not offered"
	}
	if tests > 0 && tests == len(r.Find("patch").Items()) {
		return "only test operations, which are not offered"
	}
	if doc := r.Find("doc"); doc.Kind != jsontree.Object && doc.Kind != jsontree.Array {
		return "the document has no members"
	}
	return ""
}

func runRecord(t *testing.T, r *jsontree.Node) {
	wantsFailure := r.Find("error") != nil
	var kept []*jsontree.Node
	for _, op := range r.Find("patch").Items() {
		if op.Find("op").IsString() && op.Find("op").Text == "test" {
			continue
		}
		kept = append(kept, op)
	}
	before := text(r.Find("doc"))
	ops, err := patch.Parse(text(jsontree.NewArray(kept...)))
	if err != nil && wantsFailure {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	got, _, faults := patch.Apply(r.Find("doc"), ops, patch.Limits{})
	if now := text(r.Find("doc")); now != before {
		t.Errorf("Apply changed its document from %s to %s", before, now)
	}
	switch {
	case wantsFailure && len(faults) == 0:
		t.Errorf("Apply = %s, want a fault: %s", text(got), r.Find("error").Text)
	case !wantsFailure && len(faults) > 0:
		t.Errorf("Apply: %v, want %s", faults, text(r.Find("expected")))
	case !wantsFailure && r.Find("expected") != nil && !jsontree.Equal(got, r.Find("expected")):
		t.Errorf("Apply = %s, want %s", text(got), text(r.Find("expected")))
	}
}

// Every pointer of RFC 6901 section 5 but the empty one addresses what the RFC says (S155).
func TestPointersOfRFC6901(t *testing.T) {
	t.Parallel()
	table := suite(t, "rfc6901/section5.json")
	for _, c := range table.Find("cases").Items() {
		if c.Find("pointer").Text != "" {
			copyOut(t, table.Find("document"), c)
		}
	}
	for _, c := range suite(t, "rfc6901/resolution.json").Find("cases").Items() {
		copyOut(t, c.Find("doc"), c)
	}
}

// copyOut copies what the case's pointer names to a new member and compares.
func copyOut(t *testing.T, doc, c *jsontree.Node) {
	t.Helper()
	pointer := c.Find("pointer").Text
	got, _, faults := patch.Apply(doc, []patch.Operation{{Op: "copy", From: pointer, Path: "/copied"}}, patch.Limits{})
	if c.Find("error") != nil {
		if len(faults) != 1 {
			t.Errorf("copy from %q: %v, want one fault: %s", pointer, faults, c.Find("error").Text)
		}
		return
	}
	if len(faults) > 0 || !jsontree.Equal(got.Find("copied"), c.Find("expected")) {
		t.Errorf("copy from %q = %v %v, want %s", pointer, got, faults, text(c.Find("expected")))
	}
}

// The pointers that the JSON Schema suite calls invalid are refused, the valid ones are not (S155).
func TestPointerSyntaxOfRFC6901(t *testing.T) {
	t.Parallel()
	table := suite(t, "rfc6901/syntax.json")
	remove := func(path string) string {
		_, _, faults := patch.Apply(jsontree.NewObject(), []patch.Operation{{Op: "remove", Path: path}}, patch.Limits{})
		return faults[0].What
	}
	for _, kind := range []string{"valid", "invalid"} {
		for _, p := range table.Find(kind).Items() {
			if p.Text == "" {
				continue // the whole document
			}
			if what := remove(p.Text); strings.HasPrefix(what, "at the root there is no member") != (kind == "valid") {
				t.Errorf("remove %q is refused with %q, want a pointer that is %s", p.Text, what, kind)
			}
		}
	}
}
