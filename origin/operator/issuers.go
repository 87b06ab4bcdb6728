package operator

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"example.com/livery/origin/auth"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// IssuerEntry is one OpenID Connect issuer whose tokens are accepted, known by its name. Several
// entries may have one issuer: a token belongs to the first, by name, whose claims it has.
type IssuerEntry struct {
	Name          string                 `json:"name"`
	Issuer        string                 `json:"issuer"`                  // the "iss" of its tokens
	JWKS          string                 `json:"jwks"`                    // https address, or absolute path, of its key set
	Team          string                 `json:"team,omitempty"`          // slug of the one Team that its tokens reach; empty: subjects are members by name
	SubjectPrefix string                 `json:"subjectPrefix,omitempty"` // put before every subject; not beside team
	Claims        map[string]string      `json:"claims,omitempty"`        // what a token must claim, all of it
	RoleClaim     string                 `json:"roleClaim,omitempty"`     // the claim that names the role in the Team
	Roles         map[string]record.Role `json:"roles,omitempty"`         // role by the value of that claim; empty: the value is the role
	Environments  map[string]record.Role `json:"environments,omitempty"`  // role by the slug of an Environment of the Team, instead of roleClaim: all others are out of reach
	Login         *LoginEntry            `json:"login,omitempty"`         // how people log in there with livery login; nil: they do not
}

// The bounds of the issuers of a file.
const (
	maxIssuers   = 200
	maxClaims    = 20
	maxClaimText = 512 // characters of a claim's name or value, of an address, of a prefix
)

// issuerFaults lists everything in which the issuers of the file break a rule.
func (file TeamsFile) issuerFaults() []string {
	var faults []string
	if len(file.Issuers) > maxIssuers {
		faults = append(faults, fmt.Sprintf("issuers: must have at most %d entries", maxIssuers))
	}
	names, keySets := map[string]bool{}, map[string]string{}
	for i, entry := range file.Issuers {
		at := fmt.Sprintf("issuers[%d]", i)
		if names[entry.Name] {
			faults = append(faults, fmt.Sprintf("%s.name: %q stands twice in the file", at, entry.Name))
		}
		names[entry.Name] = true
		if known, there := keySets[entry.Issuer]; there && known != entry.JWKS {
			faults = append(faults, at+".jwks: entries of one issuer must have one key set")
		}
		keySets[entry.Issuer] = entry.JWKS
		faults = append(append(faults, entry.faults(at)...), entry.roleFaults(at)...)
		if entry.Login != nil {
			faults = append(faults, entry.Login.faults(at+".login")...)
		}
	}
	return faults
}

func (entry IssuerEntry) faults(at string) []string {
	var faults []string
	if !validSlug(entry.Name) {
		faults = append(faults, at+".name: "+slugRule)
	}
	if !secureAddress(entry.Issuer) {
		faults = append(faults, at+".issuer: must be an https address without a query")
	}
	if !secureAddress(entry.JWKS) && !(filepath.IsAbs(entry.JWKS) && plainText(entry.JWKS, maxClaimText)) {
		faults = append(faults, at+".jwks: must be an https address without a query, or an absolute path")
	}
	if !plainText(entry.SubjectPrefix, 64) {
		faults = append(faults, at+".subjectPrefix: must have at most 64 characters, none a control character")
	}
	if len(entry.Claims) > maxClaims {
		faults = append(faults, fmt.Sprintf("%s.claims: must have at most %d entries", at, maxClaims))
	}
	for _, name := range slices.Sorted(maps.Keys(entry.Claims)) {
		if name == "" || !plainText(name, maxClaimText) || !plainText(entry.Claims[name], maxClaimText) {
			faults = append(faults, fmt.Sprintf("%s.claims: %q must have a name and a value of at most %d characters", at, name, maxClaimText))
		}
	}
	return faults
}

// roleFaults lists the faults of an entry that is neither bound to a Team with a role nor free of both.
func (entry IssuerEntry) roleFaults(at string) []string {
	var faults []string
	named := entry.RoleClaim != "" || len(entry.Roles) > 0
	switch {
	case len(entry.Environments) > 0 && (entry.Team == "" || named):
		faults = append(faults, at+".environments: needs a team, and neither roleClaim nor roles beside it")
	case entry.Team == "" && named:
		faults = append(faults, at+".roleClaim: needs a team; without one, grants say who may do what")
	case entry.Team != "" && entry.RoleClaim == "" && len(entry.Environments) == 0:
		faults = append(faults, at+".roleClaim: must name the claim that holds the role in the Team, unless environments give roles")
	}
	if entry.Team != "" && entry.SubjectPrefix != "" {
		faults = append(faults, at+".subjectPrefix: has no use beside a team")
	}
	return append(append(faults, unknownRoles(at+".roles", entry.Roles)...), unknownRoles(at+".environments", entry.Environments)...)
}

func unknownRoles(at string, roles map[string]record.Role) (faults []string) {
	for _, name := range slices.Sorted(maps.Keys(roles)) {
		if role := roles[name]; !role.Allows(record.Viewer) {
			faults = append(faults, fmt.Sprintf("%s: %q is neither viewer, editor nor admin", at, role))
		}
	}
	return faults
}

func secureAddress(address string) bool {
	u, err := url.Parse(address)
	return err == nil && plainText(address, maxClaimText) && strings.HasPrefix(address, "https://") && u.Host != "" && u.User == nil &&
		u.RawQuery == "" && !u.ForceQuery && !strings.Contains(address, "#")
}

// teamsOfIssuers refuses a file whose issuers are bound to a Team, or name an Environment of it, that neither it nor the
// store has.
func teamsOfIssuers(ctx context.Context, store storage.Store, file TeamsFile) error {
	faults, err := storage.Snapshot(ctx, store, func(r storage.Reader) (faults []string, err error) {
		for i, entry := range file.Issuers {
			missing, err := file.unknownTo(r, entry)
			if err != nil {
				return nil, err
			}
			if missing != "" {
				faults = append(faults, fmt.Sprintf("issuers[%d]%s does not exist", i, missing))
			}
		}
		return faults, nil
	})
	if err != nil {
		return err
	}
	return invalid(faults)
}

// unknownTo says which Team or Environment that the entry names neither the file nor the store has; "" if there is none.
func (file TeamsFile) unknownTo(r storage.Reader, entry IssuerEntry) (string, error) {
	if entry.Team == "" {
		return "", nil
	}
	var known []string
	team := slices.IndexFunc(file.Teams, func(t TeamEntry) bool { return t.Slug == entry.Team })
	if team >= 0 {
		for _, e := range file.Teams[team].Environments {
			known = append(known, e.Slug)
		}
	}
	id, err := storage.Optional(storage.TeamSlugs.Read(r, entry.Team))
	switch {
	case err != nil:
		return "", err
	case id == "" && team < 0:
		return fmt.Sprintf(".team: the Team %q", entry.Team), nil
	}
	for _, slug := range slices.Sorted(maps.Keys(entry.Environments)) {
		if slices.Contains(known, slug) {
			continue
		}
		environment, err := storage.Optional(storage.EnvironmentSlugs.Read(r, slug, id))
		if err != nil {
			return "", err
		}
		if environment == "" {
			return fmt.Sprintf(".environments: the Environment %q of Team %s", slug, entry.Team), nil
		}
	}
	return "", nil
}

// issuers makes the issuers of the store exactly those of the file.
func (a applier) issuers(tx storage.Tx, entries []IssuerEntry) (change, error) {
	stored, err := storage.Issuers.All(tx)
	if err != nil {
		return change{}, err
	}
	old := map[string]record.Issuer{}
	for _, issuer := range stored {
		old[issuer.Name] = issuer
	}
	done := change{target: "issuers"}
	for _, entry := range entries {
		issuer, err := entry.record(tx)
		if err != nil {
			return done, err
		}
		was, there := old[entry.Name]
		delete(old, entry.Name)
		if there && auth.SameIssuer(was, issuer) {
			continue
		}
		done.sentences = append(done.sentences, issuerChange(entry, there))
		if err := storage.Issuers.Write(tx, issuer, issuer.Name); err != nil {
			return done, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(old)) {
		done.sentences = append(done.sentences, fmt.Sprintf("issuer %s is trusted no more", name))
		if err := storage.Issuers.Delete(tx, name); err != nil {
			return done, err
		}
	}
	return done, nil
}

func issuerChange(entry IssuerEntry, there bool) string {
	reach := "members of Teams"
	if entry.Team != "" {
		reach = "team " + entry.Team
	}
	verb := "is trusted"
	if there {
		verb = "is changed"
	}
	return fmt.Sprintf("issuer %s %s: tokens of %s for %s", entry.Name, verb, entry.Issuer, reach)
}

func (entry IssuerEntry) record(r storage.Reader) (record.Issuer, error) {
	issuer := record.Issuer{
		Name: entry.Name, URL: entry.Issuer, KeySet: entry.JWKS, SubjectPrefix: entry.SubjectPrefix,
		Claims: entry.Claims, RoleClaim: entry.RoleClaim, Roles: entry.Roles, Environments: entry.Environments, Login: entry.Login.record(),
	}
	if entry.Team == "" {
		return issuer, nil
	}
	var err error
	if issuer.TeamID, err = storage.TeamSlugs.Read(r, entry.Team); err != nil {
		err = fmt.Errorf("operator: team %q of issuer %q: %w", entry.Team, entry.Name, err)
	}
	return issuer, err
}

// newIssuerEntries returns issuers as a file has them.
func newIssuerEntries(issuers []record.Issuer, teams []record.Team) []IssuerEntry {
	slugs := map[string]string{}
	for _, team := range teams {
		slugs[team.ID] = team.Slug
	}
	var entries []IssuerEntry
	for _, i := range issuers {
		entries = append(entries, IssuerEntry{i.Name, i.URL, i.KeySet, slugs[i.TeamID], i.SubjectPrefix, i.Claims, i.RoleClaim, i.Roles, i.Environments, newLoginEntry(i.Login)})
	}
	return entries
}
