package operator_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.com/livery/origin/operator"
	"example.com/livery/origin/theming"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// withIssuers is acme with a section issuers.
func withIssuers(issuers ...operator.IssuerEntry) operator.TeamsFile {
	file := acme()
	file.Issuers = append([]operator.IssuerEntry{}, issuers...)
	return file
}

func ci() operator.IssuerEntry {
	return operator.IssuerEntry{
		Name: "ci", Issuer: "https://ci.example", JWKS: "https://ci.example/jwks", Team: "acme",
		Claims: map[string]string{"repository": "acme/tokens"}, RoleClaim: "environment", Roles: map[string]record.Role{"production": record.Editor},
	}
}

func stored(t *testing.T, store storage.Store) []record.Issuer {
	t.Helper()
	var issuers []record.Issuer
	err := store.View(context.Background(), func(r storage.Reader) (err error) {
		issuers, err = storage.Issuers.All(r)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return issuers
}

// The section issuers is made true exactly; a file without it leaves issuers as they are.
func TestApplyMakesTheIssuersTrue(t *testing.T) {
	store := open(t)
	people := operator.IssuerEntry{Name: "people", Issuer: "https://sso.example", JWKS: "/etc/livery/sso.json", SubjectPrefix: "sso:", Claims: map[string]string{}, Roles: map[string]record.Role{}}
	apply(t, store, withIssuers(ci(), people), true)
	if got := stored(t, store); len(got) != 0 {
		t.Errorf("after a dry run there are %v", got)
	}
	got := apply(t, store, withIssuers(ci(), people), false)
	want := []string{"issuer ci is trusted: tokens of https://ci.example for team acme", "issuer people is trusted: tokens of https://sso.example for members of Teams"}
	if !reflect.DeepEqual(got[len(got)-2:], want) {
		t.Errorf("Apply() = %q, want %q at the end", got, want)
	}
	shown, err := operator.Teams(context.Background(), store)
	if err != nil || !reflect.DeepEqual(shown.Issuers, []operator.IssuerEntry{ci(), people}) {
		t.Errorf("Teams() = %+v, %v, want the issuers as given", shown.Issuers, err)
	}
	for name, file := range map[string]operator.TeamsFile{"again": withIssuers(ci(), people), "as shown": shown, "without the section": acme()} {
		if got := apply(t, store, file, false); len(got) != 0 {
			t.Errorf("%s: Apply() = %q, want none", name, got)
		}
	}
	changed := ci()
	changed.Roles = nil
	perEnvironment := ci()
	roleIn("sandbox", record.Editor)(&perEnvironment)
	for _, entry := range []operator.IssuerEntry{perEnvironment, ci()} {
		if got := apply(t, store, withIssuers(entry, people), false); len(got) != 1 {
			t.Errorf("Apply() of %+v = %q, want one change", entry, got)
		}
		if got := stored(t, store)[0]; !reflect.DeepEqual(got.Environments, entry.Environments) || got.RoleClaim != entry.RoleClaim {
			t.Errorf("stored is %+v, want %+v", got, entry)
		}
	}
	want = []string{"issuer ci is changed: tokens of https://ci.example for team acme", "issuer people is trusted no more"}
	if got := apply(t, store, withIssuers(changed), false); !reflect.DeepEqual(got, want) {
		t.Errorf("Apply() = %q, want %q", got, want)
	}
	if got := apply(t, store, withIssuers(), false); len(got) != 1 || len(stored(t, store)) != 0 {
		t.Errorf("Apply() of an empty section = %q, want the last one gone", got)
	}
}

// roleIn gives an entry a role in one Environment, in the place of that in all.
func roleIn(environment string, role record.Role) func(*operator.IssuerEntry) {
	return func(e *operator.IssuerEntry) {
		e.RoleClaim, e.Roles, e.Environments = "", nil, map[string]record.Role{environment: role}
	}
}

// Every fault of an issuer is told with its place, and nothing of the file is applied.
func TestApplyListsEveryFaultOfAnIssuer(t *testing.T) {
	store := open(t)
	for name, c := range map[string]struct {
		change func(*operator.IssuerEntry)
		places []string
	}{
		"name":                {func(e *operator.IssuerEntry) { e.Name = "a b" }, []string{"issuers[0].name"}},
		"http":                {func(e *operator.IssuerEntry) { e.Issuer, e.JWKS = "http://ci.example", "http://ci.example/jwks" }, []string{"issuers[0].issuer", "issuers[0].jwks"}},
		"user in an address":  {func(e *operator.IssuerEntry) { e.JWKS = "https://a:b@ci.example/jwks" }, []string{"issuers[0].jwks"}},
		"a query":             {func(e *operator.IssuerEntry) { e.Issuer = "https://ci.example?x" }, []string{"issuers[0].issuer"}},
		"a relative path":     {func(e *operator.IssuerEntry) { e.JWKS = "jwks.json" }, []string{"issuers[0].jwks"}},
		"file address":        {func(e *operator.IssuerEntry) { e.JWKS = "file:///etc/passwd" }, []string{"issuers[0].jwks"}},
		"no such team":        {func(e *operator.IssuerEntry) { e.Team = "missing" }, []string{"issuers[0].team"}},
		"no role claim":       {func(e *operator.IssuerEntry) { e.RoleClaim = "" }, []string{"issuers[0].roleClaim"}},
		"roles without team":  {func(e *operator.IssuerEntry) { e.Team = "" }, []string{"issuers[0].roleClaim"}},
		"prefix with a team":  {func(e *operator.IssuerEntry) { e.SubjectPrefix = "x" }, []string{"issuers[0].subjectPrefix"}},
		"role":                {func(e *operator.IssuerEntry) { e.Roles["x"] = "king" }, []string{"issuers[0].roles"}},
		"both kinds of roles": {func(e *operator.IssuerEntry) { e.Environments = map[string]record.Role{"sandbox": record.Viewer} }, []string{"issuers[0].environments"}},
		"no such environment": {roleIn("nowhere", record.Viewer), []string{"issuers[0].environments"}},
		"role there":          {roleIn("sandbox", "king"), []string{"issuers[0].environments"}},
		"environments without team": {func(e *operator.IssuerEntry) {
			roleIn("sandbox", record.Viewer)(e)
			e.Team = ""
		}, []string{"issuers[0].environments"}},
		"claim": {func(e *operator.IssuerEntry) { e.Claims[""] = "x" }, []string{"issuers[0].claims"}},
	} {
		entry := ci()
		c.change(&entry)
		_, err := operator.Apply(context.Background(), store, withIssuers(entry), false, noon)
		var refusal *theming.Error
		if !errors.As(err, &refusal) || !slices.EqualFunc(refusal.Messages, c.places, func(m, place string) bool { return strings.HasPrefix(m, place+": ") }) {
			t.Errorf("%s: Apply() = %v, want faults at %q", name, err, c.places)
		}
	}
	other := ci()
	other.Name, other.JWKS = "other", "https://elsewhere.example/jwks"
	if _, err := operator.Apply(context.Background(), store, withIssuers(ci(), other), false, noon); err == nil {
		t.Error("two key sets of one issuer are taken")
	}
	if _, err := operator.Apply(context.Background(), store, withIssuers(ci(), ci()), false, noon); err == nil {
		t.Error("one name is taken twice")
	}
	if file, err := operator.Teams(context.Background(), store); err != nil || len(file.Teams) != 0 {
		t.Errorf("after refusals there are %v, %v", file, err)
	}
}
