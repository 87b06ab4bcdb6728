package operator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// TeamsFile says what Teams and Environments there are and who may do what. What it does not name
// is left as it is: no Team and no Environment is ever deleted by it.
type TeamsFile struct {
	Teams   []TeamEntry   `json:"teams"`
	Issuers []IssuerEntry `json:"issuers,omitzero"` // exactly these, if the section is there; nil leaves them as they are
}

// TeamEntry is one Team, known by its slug.
type TeamEntry struct {
	ID           string             `json:"id,omitempty"` // given out by the store; may be left out
	Slug         string             `json:"slug"`
	Plan         record.Plan        `json:"plan"`    // free or pro
	Members      []string           `json:"members"` // token subjects; exactly these
	Environments []EnvironmentEntry `json:"environments"`
}

// EnvironmentEntry is one Environment of a Team, known by its slug within the Team.
type EnvironmentEntry struct {
	ID            string                 `json:"id,omitempty"` // given out by the store; may be left out
	Slug          string                 `json:"slug"`
	DisplayName   string                 `json:"displayName"`
	Kind          string                 `json:"kind"`          // sandbox, staging or production
	CacheLifetime uint32                 `json:"cacheLifetime"` // seconds
	Description   *string                `json:"description"`   // nil means none
	Metadata      map[string]string      `json:"metadata"`
	Grants        map[string]record.Role `json:"grants"`               // by member; exactly these
	PreviewOf     string                 `json:"previewOf,omitempty"`  // slug of the Environment of the Team of whose Themes all Themes here are previews
	Identities    string                 `json:"identities,omitempty"` // full (or empty): admins and editors are told who made a change; none: nobody is
}

// Apply makes the Teams, Environments, members and grants of the store what the file says, and
// returns one sentence for each change. It is idempotent: a file that is applied already changes
// nothing. With dryRun nothing is written. A file that breaks rules is refused whole with a
// *theming.Error that lists every fault. Each Team and each Environment is a commit of its own,
// and so are all issuers,
// because each has its own entry in the change log; after a crash, apply the file again.
func Apply(ctx context.Context, store storage.Store, file TeamsFile, dryRun bool, now time.Time) (changes []string, err error) {
	if err := invalid(file.faults()); err != nil {
		return nil, err
	}
	if err := teamsOfIssuers(ctx, store, file); err != nil {
		return nil, err
	}
	a := applier{ctx: ctx, store: store, now: stamp(now)}
	if dryRun {
		return a.preview(file)
	}
	changes = []string{}
	for _, step := range a.steps(file) {
		done, err := a.commit(step)
		changes = append(changes, done...)
		if err != nil {
			return changes, err
		}
	}
	return changes, nil
}

// steps are the commits that make the file true, in order.
func (a applier) steps(file TeamsFile) (steps []func(storage.Tx) (change, error)) {
	for _, team := range file.Teams {
		steps = append(steps, func(tx storage.Tx) (change, error) { return a.team(tx, team) })
		for _, environment := range team.Environments {
			steps = append(steps, func(tx storage.Tx) (change, error) { return a.environment(tx, team, environment) })
		}
	}
	if file.Issuers != nil {
		steps = append(steps, func(tx storage.Tx) (change, error) { return a.issuers(tx, file.Issuers) })
	}
	return steps
}

// Teams returns the file that would make the store what it is, with ids.
func Teams(ctx context.Context, store storage.Store) (TeamsFile, error) {
	return storage.Snapshot(ctx, store, func(r storage.Reader) (TeamsFile, error) {
		teams, err := storage.Teams.All(r)
		var environments []record.Environment
		if err == nil {
			environments, err = storage.Environments.All(r)
		}
		file := newTeamsFile(teams, environments)
		if err == nil {
			var issuers []record.Issuer
			issuers, err = storage.Issuers.All(r)
			file.Issuers = newIssuerEntries(issuers, teams)
		}
		return file, err
	})
}

func newTeamsFile(teams []record.Team, environments []record.Environment) TeamsFile {
	slugs := map[string]string{}
	for _, e := range environments {
		slugs[e.ID] = e.Slug
	}
	file := TeamsFile{Teams: []TeamEntry{}}
	for _, t := range teams {
		entry := TeamEntry{ID: t.ID, Slug: t.Slug, Plan: t.Plan, Members: t.Members, Environments: []EnvironmentEntry{}}
		for _, e := range environments {
			if e.TeamID == t.ID {
				entry.Environments = append(entry.Environments, EnvironmentEntry{
					e.ID, e.Slug, e.DisplayName, e.Kind, e.CacheLifetime, e.Description, e.Metadata, e.Grants, slugs[e.PreviewOf], string(e.Identities),
				})
			}
		}
		file.Teams = append(file.Teams, entry)
	}
	return file
}

// change is what one entry of a file did, and whose caches it concerns.
type change struct {
	sentences     []string
	target        string // for the audit log
	environmentID string
}

type applier struct {
	ctx   context.Context
	store storage.Store
	now   time.Time
}

func (a applier) commit(apply func(storage.Tx) (change, error)) ([]string, error) {
	var done change
	err := Commit(a.ctx, a.store, storage.Global, a.now, func(tx storage.Tx, note func(record.Audit)) (record.Change, error) {
		var err error
		if done, err = apply(tx); len(done.sentences) > 0 {
			note(record.Audit{Action: ActionTeams, Target: done.target, EnvironmentID: done.environmentID, Changes: done.sentences})
		}
		return record.Change{EnvironmentID: done.environmentID, At: a.now}, err
	})
	if err != nil {
		return nil, err
	}
	return done.sentences, nil
}

func (a applier) preview(file TeamsFile) ([]string, error) {
	sentences := []string{}
	_, err := a.store.Update(a.ctx, storage.Global, func(tx storage.Tx) (record.Change, error) {
		sentences = sentences[:0]
		for _, step := range a.steps(file) {
			done, err := step(tx)
			if err != nil {
				return record.Change{}, err
			}
			sentences = append(sentences, done.sentences...)
		}
		return record.Change{}, errDryRun
	})
	if !errors.Is(err, errDryRun) {
		return nil, err
	}
	return sentences, nil
}

func (a applier) team(tx storage.Tx, entry TeamEntry) (change, error) {
	old, created, err := a.oldTeam(tx, entry)
	if err != nil {
		return change{}, err
	}
	team := old
	team.Plan, team.Members = entry.Plan, sorted(entry.Members)
	sentences := teamChanges(old, team, created)
	if len(sentences) == 0 {
		return change{}, nil
	}
	if err := writeMembers(tx, team.ID, old.Members, team.Members); err != nil {
		return change{}, err
	}
	if err := storage.TeamSlugs.Write(tx, team.ID, team.Slug); err != nil {
		return change{}, err
	}
	return change{sentences: sentences, target: "team " + team.Slug}, storage.Teams.Write(tx, team, team.ID)
}

// oldTeam returns the Team that the entry names, or a new one.
func (a applier) oldTeam(tx storage.Tx, entry TeamEntry) (team record.Team, created bool, err error) {
	id, err := storage.Optional(storage.TeamSlugs.Read(tx, entry.Slug))
	switch {
	case err != nil:
		return team, false, err
	case id == "" && entry.ID == "":
		return record.Team{ID: NewID("team_", a.now), Slug: entry.Slug}, true, nil
	case entry.ID != "" && id != entry.ID:
		return team, false, invalid([]string{fmt.Sprintf("team %q: no Team of this slug has the id %q", entry.Slug, entry.ID)})
	}
	team, err = storage.Teams.Read(tx, id)
	return team, false, err
}

func writeMembers(tx storage.Tx, team string, old, members []string) error {
	for _, subject := range old {
		if err := storage.Memberships.Delete(tx, team, subject); err != nil {
			return err
		}
	}
	for _, subject := range members {
		if err := storage.Memberships.Write(tx, "", team, subject); err != nil {
			return err
		}
	}
	return nil
}

func (a applier) environment(tx storage.Tx, team TeamEntry, entry EnvironmentEntry) (change, error) {
	teamID, err := storage.TeamSlugs.Read(tx, team.Slug)
	if err != nil {
		return change{}, fmt.Errorf("operator: team %q: %w", team.Slug, err)
	}
	old, created, err := a.oldEnvironment(tx, teamID, entry)
	if err != nil {
		return change{}, err
	}
	environment := entry.over(old)
	if environment.PreviewOf, err = previewSource(tx, old, entry, teamID); err != nil {
		return change{}, err
	}
	sentences := environmentChanges(team.Slug, entry.PreviewOf, old, environment, created)
	if len(sentences) == 0 {
		return change{}, nil
	}
	environment.UpdatedAt = a.now
	if err := storage.EnvironmentSlugs.Write(tx, environment.ID, environment.Slug, teamID); err != nil {
		return change{}, err
	}
	return change{sentences, "environment " + team.Slug + "/" + environment.Slug, environment.ID}, storage.Environments.Write(tx, environment, environment.ID)
}

// previewSource returns the id of the Environment that the entry names as previewOf, or a refusal. Themes that exist keep
// what they are: the old one stays as long as old has any.
func previewSource(r storage.Reader, old record.Environment, entry EnvironmentEntry, teamID string) (id string, err error) {
	refuse := func(format string, args ...any) error {
		return invalid([]string{fmt.Sprintf("environment %q: previewOf: ", entry.Slug) + fmt.Sprintf(format, args...)})
	}
	if entry.PreviewOf != "" {
		id, err = storage.Optional(storage.EnvironmentSlugs.Read(r, entry.PreviewOf, teamID))
		if err != nil {
			return "", err
		}
		if id == "" {
			return "", refuse("the Environment %q does not exist; it must stand before this one", entry.PreviewOf)
		}
		source, err := storage.Environments.Read(r, id)
		if err != nil {
			return "", err
		}
		if id == old.ID || source.PreviewOf != "" {
			return "", refuse("%q has previews itself", entry.PreviewOf)
		}
	}
	if id == old.PreviewOf {
		return id, nil
	}
	used := false
	err = storage.ThemeSlugs.Scan(r, storage.Ascending, func(string, string) bool {
		used = true
		return false
	}, old.ID)
	if err == nil && used {
		err = refuse("cannot change while the Environment has Themes")
	}
	return id, err
}

// oldEnvironment returns the Environment that the entry names, or a new one.
func (a applier) oldEnvironment(tx storage.Tx, teamID string, entry EnvironmentEntry) (e record.Environment, created bool, err error) {
	id, err := storage.Optional(storage.EnvironmentSlugs.Read(tx, entry.Slug, teamID))
	switch {
	case err != nil:
		return e, false, err
	case id == "" && entry.ID == "":
		return record.Environment{ID: NewID("env_", a.now), TeamID: teamID, Slug: entry.Slug, CreatedAt: a.now}, true, nil
	case entry.ID != "" && id != entry.ID:
		return e, false, invalid([]string{fmt.Sprintf("environment %q: no Environment of this slug has the id %q", entry.Slug, entry.ID)})
	}
	e, err = storage.Environments.Read(tx, id)
	return e, false, err
}

// over returns the Environment with everything that the entry says.
func (entry EnvironmentEntry) over(e record.Environment) record.Environment {
	e.DisplayName, e.Kind, e.CacheLifetime, e.Description = entry.DisplayName, entry.Kind, entry.CacheLifetime, entry.Description
	e.Metadata, e.Grants, e.Identities = entry.Metadata, entry.Grants, record.IdentitiesFull
	if entry.Identities == string(record.IdentitiesNone) {
		e.Identities = record.IdentitiesNone
	}
	if e.Metadata == nil {
		e.Metadata = map[string]string{}
	}
	if e.Grants == nil {
		e.Grants = map[string]record.Role{}
	}
	return e
}

func sorted(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(append([]string{}, list...))
}
