// Package auth turns a bearer token into a Caller and says what the Caller may do on an
// Environment. Access tokens are JSON Web Tokens (RFC 7519) signed with the origin's own Ed25519
// key (RFC 8037), which the first start makes and the store keeps, or with a key of an OpenID
// Connect issuer that the operator named. It fetches the key sets (RFC 7517) of those issuers and
// nothing else: no address that a token names is ever asked.
package auth

import (
	"errors"
	"fmt"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// The errors that callers branch on. What the first two wrap is for the log: a caller must not
// learn it.
var (
	ErrUnauthorized = errors.New("no valid access token")
	ErrForbidden    = errors.New("the caller has no sufficient grant")
	ErrOrder        = errors.New("no such token can be issued")
)

// Caller is the user or program that a verified token names. The zero Caller may do nothing.
type Caller struct {
	Subject string
	TeamID  string      // the one Team that the token reaches; empty: the Teams of which Subject is a member
	Role    record.Role // on every Environment of TeamID, if Roles is empty; empty: none
	Issuer  string      // the "iss" of the token

	Roles map[string]record.Role // by the slug of an Environment of TeamID; on any other there is none
}

// roleOn returns the caller's role on an Environment of a Team of theirs; empty means none.
func (c Caller) roleOn(e record.Environment) record.Role {
	switch {
	case c.TeamID != "" && len(c.Roles) > 0:
		return c.Roles[e.Slug]
	case c.TeamID != "":
		return c.Role
	}
	return e.Grants[c.Subject]
}

// Granted is an Environment with the role that a Caller has on it.
type Granted struct {
	Environment record.Environment
	Role        record.Role
}

// Identifies reports whether the caller is told who made a change in the Environment.
func (g Granted) Identifies() bool {
	return g.Role.Allows(record.Editor) && g.Environment.Identities == record.IdentitiesFull
}

// decoy is a stored Environment that is decoded if the wanted one is missing, so that missing
// and foreign Environments cost the same reads and the same decoding.
const decoy = "\x01" + `{"id":"env_00000000000000000000000000","teamID":"team_00000000000000000000000000",` +
	`"slug":"production","displayName":"Production","kind":"production","description":null,"metadata":{},` +
	`"cacheLifetime":300,"grants":{"designer":"editor","owner":"admin","reader":"viewer"},` +
	`"createdAt":"2025-01-01T00:00:00.123Z","updatedAt":"2025-01-01T00:00:00.123Z"}`

// Environment returns the Environment and the caller's role on it: storage.ErrNotFound if there
// is none in a Team of the caller, ErrForbidden if the caller has no grant on it.
func (c Caller) Environment(r storage.Reader, id string) (Granted, error) {
	// Read as bytes: the table would spend time on an error text only for a missing one.
	data, err := r.Get(storage.Key('E', id))
	missing := errors.Is(err, storage.ErrNotFound)
	if missing {
		data, err = []byte(decoy), nil
	}
	if err != nil {
		return Granted{}, fmt.Errorf("auth: read environment %q: %w", id, err)
	}
	var environment record.Environment
	if err := record.Decode(data, &environment); err != nil {
		return Granted{}, fmt.Errorf("auth: read environment %q: %w: %w", id, storage.ErrCorrupt, err)
	}
	member, err := c.memberOf(r, environment.TeamID)
	if err != nil {
		return Granted{}, err
	}
	if missing || !member {
		return Granted{}, fmt.Errorf("auth: environment %q: %w", id, storage.ErrNotFound)
	}
	role := c.roleOn(environment)
	if !role.Allows(record.Viewer) {
		return Granted{}, ErrForbidden
	}
	return Granted{environment, role}, nil
}

// Environments returns every Environment on which the caller has a grant in a Team of theirs, in
// no particular order.
func (c Caller) Environments(r storage.Reader) ([]Granted, error) {
	ids, err := c.environmentIDs(r)
	if err != nil {
		return nil, err
	}
	var granted []Granted
	for _, id := range ids {
		environment, err := storage.Environments.Read(r, id)
		if err != nil {
			return nil, err
		}
		if role := c.roleOn(environment); role.Allows(record.Viewer) {
			granted = append(granted, Granted{environment, role})
		}
	}
	return granted, nil
}

func (c Caller) environmentIDs(r storage.Reader) ([]string, error) {
	var ids []string
	teams, err := c.teams(r)
	for _, team := range teams {
		if err != nil {
			break
		}
		err = storage.EnvironmentSlugs.Scan(r, storage.Ascending, func(_, id string) bool {
			ids = append(ids, id)
			return true
		}, team)
	}
	return ids, err
}

// Teams returns the Teams that the caller reaches, by id.
func (c Caller) Teams(r storage.Reader) (teams []record.Team, err error) {
	ids, err := c.teams(r)
	for _, id := range ids {
		team, err := storage.Teams.Read(r, id)
		if err != nil {
			return nil, fmt.Errorf("auth: read team %q: %w", id, err)
		}
		teams = append(teams, team)
	}
	return teams, err
}

// FirstTeam returns the id of a Team that the caller reaches, always the same while there is one; empty if there is none.
func (c Caller) FirstTeam(r storage.Reader) (id string, err error) {
	if c.TeamID != "" {
		return c.TeamID, nil
	}
	err = storage.Memberships.Scan(r, storage.Ascending, func(team, _ string) bool {
		id = team
		return false
	}, c.Subject)
	return id, err
}

func (c Caller) teams(r storage.Reader) (ids []string, err error) {
	if c.TeamID != "" {
		return []string{c.TeamID}, nil
	}
	err = storage.Memberships.Scan(r, storage.Ascending, func(team, _ string) bool {
		ids = append(ids, team)
		return true
	}, c.Subject)
	return ids, err
}

// memberOf reads the membership also for a caller who needs none, so that all callers cost the same.
func (c Caller) memberOf(r storage.Reader, team string) (bool, error) {
	_, err := storage.Memberships.Read(r, team, c.Subject)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return false, err
	}
	if c.TeamID != "" {
		return c.TeamID == team, nil
	}
	return err == nil, nil
}
