package record_test

import (
	"bytes"
	"reflect"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"example.com/livery/storage/record"
)

// same checks that a record is decoded as it was encoded, and encoded again to the same bytes.
func same[T any](t *rapid.T, want T) {
	t.Helper()
	data, err := record.Encode(want)
	if err != nil {
		t.Fatalf("Encode(%+v) = %v", want, err)
	}
	var got T
	if err := record.Decode(data, &got); err != nil {
		t.Fatalf("Decode(%q) = %v", data, err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("Decode(Encode(v)) = %+v, want %+v", got, want)
	}
	if again, err := record.Encode(got); err != nil || !bytes.Equal(again, data) {
		t.Fatalf("Encode(Decode(%q)) = %q, %v", data, again, err)
	}
}

var (
	text   = rapid.String()
	hashes = rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 8), record.HashOf)
	moment = rapid.Custom(func(t *rapid.T) time.Time {
		return time.Unix(rapid.Int64Range(-1<<33, 1<<33).Draw(t, "s"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).UTC()
	})
	// Maps and slices of records are never nil once stored and read: JSON tells the two apart.
	labels = rapid.MapOfN(text, text, 0, 3)
	words  = rapid.SliceOfN(text, 0, 3)
)

func TestRecordsAreReadAsTheyWereWritten(t *testing.T) {
	t.Run("team", rapid.MakeCheck(func(t *rapid.T) {
		same(t, record.Team{ID: text.Draw(t, "id"), Slug: text.Draw(t, "slug"), Plan: record.Pro, Members: words.Draw(t, "members")})
	}))
	t.Run("issuer", rapid.MakeCheck(func(t *rapid.T) {
		same(t, record.Issuer{
			Name: text.Draw(t, "name"), URL: text.Draw(t, "url"), KeySet: text.Draw(t, "keys"), TeamID: text.Draw(t, "team"),
			SubjectPrefix: text.Draw(t, "prefix"), Claims: labels.Draw(t, "claims"), RoleClaim: text.Draw(t, "claim"),
			Roles: map[string]record.Role{text.Draw(t, "value"): record.Editor},
		})
	}))
	t.Run("token key", rapid.MakeCheck(func(t *rapid.T) {
		same(t, record.TokenKey{
			ID: text.Draw(t, "id"), Seed: rapid.SliceOf(rapid.Byte()).Draw(t, "seed"), Sealed: rapid.Bool().Draw(t, "sealed"),
			CreatedAt: moment.Draw(t, "at"), RetiredAt: moment.Draw(t, "retired"),
		})
	}))
	t.Run("environment", rapid.MakeCheck(func(t *rapid.T) { same(t, environment(t)) }))
	t.Run("theme", rapid.MakeCheck(func(t *rapid.T) { same(t, theme(t)) }))
	moves := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) record.Move {
		return record.Move{From: text.Draw(t, "from"), To: text.Draw(t, "to")}
	}), 0, 3)
	t.Run("theme draft", rapid.MakeCheck(func(t *rapid.T) {
		patch := jsontext.Value(rapid.SampledFrom([]string{`[]`, `[{"op":"remove","path":"/a"}]`}).Draw(t, "patch"))
		same(t, record.ThemeDraft{ETag: text.Draw(t, "etag"), Base: rapid.Uint32().Draw(t, "base"), Patch: patch, Moves: moves.Draw(t, "moves"), UpdatedAt: moment.Draw(t, "at")})
	}))
	t.Run("theme version", rapid.MakeCheck(func(t *rapid.T) {
		same(t, record.ThemeVersion{
			Number: rapid.Uint32().Draw(t, "number"), Document: hashes.Draw(t, "document"), TokenCount: rapid.IntMin(0).Draw(t, "tokens"),
			Prefix: text.Draw(t, "prefix"), Module: hashes.Draw(t, "module"), Plan: hashes.Draw(t, "plan"), Moves: moves.Draw(t, "moves"), PublishedAt: moment.Draw(t, "at"),
			Modes: modes.Draw(t, "modes"),
		})
	}))
	t.Run("variant draft keeps the order and spelling of its overrides", rapid.MakeCheck(func(t *rapid.T) {
		overrides := jsontext.Value(rapid.SampledFrom([]string{`{}`, `{"b":1.50,"a":"\u00e9"}`, `{"z":null,"a.b":{"y":1e3,"x":[]}}`}).Draw(t, "overrides"))
		same(t, record.VariantDraft{ETag: text.Draw(t, "etag"), Addressed: rapid.Uint32().Draw(t, "addressed"), Overrides: overrides, UpdatedAt: moment.Draw(t, "at")})
	}))
	t.Run("pair", rapid.MakeCheck(func(t *rapid.T) {
		same(t, record.Pair{Overrides: hashes.Draw(t, "overrides"), Overlay: hashes.Draw(t, "overlay"), Published: rapid.Bool().Draw(t, "published")})
	}))
	t.Run("token key", rapid.MakeCheck(func(t *rapid.T) {
		same(t, record.TokenKey{ID: text.Draw(t, "id"), Seed: rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "seed"), CreatedAt: moment.Draw(t, "at")})
	}))
	t.Run("replay", rapid.MakeCheck(func(t *rapid.T) {
		same(t, record.Replay{BodyHash: hashes.Draw(t, "hash"), Status: rapid.IntRange(100, 599).Draw(t, "status"), Answer: rapid.SliceOf(rapid.Byte()).Draw(t, "answer"), ExpiresAt: moment.Draw(t, "at")})
	}))
	t.Run("change", rapid.MakeCheck(func(t *rapid.T) {
		same(t, record.Change{EnvironmentID: text.Draw(t, "environment"), ThemeID: text.Draw(t, "theme"), At: moment.Draw(t, "at")})
	}))
}

func environment(t *rapid.T) record.Environment {
	return record.Environment{
		ID: text.Draw(t, "id"), TeamID: text.Draw(t, "team"), Slug: text.Draw(t, "slug"), DisplayName: text.Draw(t, "name"), Kind: "staging",
		Description: rapid.Ptr(text, true).Draw(t, "description"), Metadata: labels.Draw(t, "metadata"), CacheLifetime: rapid.Uint32().Draw(t, "lifetime"),
		Grants:    rapid.MapOfN(text, rapid.SampledFrom([]record.Role{record.Viewer, record.Editor, record.Admin}), 0, 3).Draw(t, "grants"),
		CreatedAt: moment.Draw(t, "created"), UpdatedAt: moment.Draw(t, "updated"),
	}
}

// modes are nil if there are none: so they are stored.
var modes = rapid.OneOf(rapid.Just[[]record.Mode](nil), rapid.SliceOfN(rapid.Custom(func(t *rapid.T) record.Mode {
	return record.Mode{Dimension: text.Draw(t, "dimension"), Mode: text.Draw(t, "mode"), Variant: text.Draw(t, "variant"), When: text.Draw(t, "when"), For: text.Draw(t, "for")}
}), 1, 3))

func theme(t *rapid.T) record.Theme {
	key := rapid.Custom(func(t *rapid.T) record.SigningKey {
		return record.SigningKey{ID: text.Draw(t, "id"), Secret: rapid.SliceOf(rapid.Byte()).Draw(t, "secret"), CreatedAt: moment.Draw(t, "at")}
	})
	integration := rapid.Custom(func(t *rapid.T) record.Integration {
		return record.Integration{Framework: text.Draw(t, "framework"), Library: text.Draw(t, "library")}
	})
	return record.Theme{
		ID: text.Draw(t, "id"), EnvironmentID: text.Draw(t, "environment"), Slug: text.Draw(t, "slug"), DisplayName: text.Draw(t, "name"),
		Metadata: labels.Draw(t, "metadata"), Integrations: rapid.SliceOfN(integration, 0, 3).Draw(t, "integrations"),
		Serving: record.Serving{
			Mode: "signed", SigningKeys: rapid.SliceOfN(key, 0, 3).Draw(t, "keys"), AllowedOrigins: words.Draw(t, "origins"),
			MissingOrigin: "refuse", AllowedIPRanges: words.Draw(t, "ranges"),
		},
		AssetSettings: record.AssetSettings{Prefix: text.Draw(t, "prefix"), IsLive: rapid.Bool().Draw(t, "live"), LiveVersion: rapid.Uint32().Draw(t, "liveVersion")},
		DraftPrefix:   rapid.Ptr(text, true).Draw(t, "draftPrefix"), TokenCount: rapid.IntMin(0).Draw(t, "tokens"),
		LatestVersion: rapid.Uint32().Draw(t, "latest"), PublishedAt: moment.Draw(t, "published"), DraftETag: text.Draw(t, "etag"),
		Modes: modes.Draw(t, "modes"), CreatedAt: moment.Draw(t, "created"), UpdatedAt: moment.Draw(t, "updated"),
	}
}

func TestDecodeIgnoresUnknownMembers(t *testing.T) {
	var got record.Pair
	err := record.Decode([]byte("\x01"+`{"overrides":"h","added":{"later":[1]},"published":true}`), &got)
	if want := (record.Pair{Overrides: "h", Published: true}); err != nil || got != want {
		t.Errorf("Decode() = %+v, %v, want %+v", got, err, want)
	}
}

func TestDecodeLeavesAbsentMembersAtZero(t *testing.T) {
	var got record.Theme
	if err := record.Decode([]byte("\x01"+`{"id":"thm_1"}`), &got); err != nil || !reflect.DeepEqual(got, record.Theme{ID: "thm_1"}) {
		t.Errorf("Decode() = %+v, %v", got, err)
	}
}

func TestDecodeRefusesWhatIsNoRecord(t *testing.T) {
	for name, data := range map[string]string{
		"nothing": "", "a format alone": "\x01", "no format": `{"published":true}`, "a later format": "\x02{}", "cut short": "\x01" + `{"published":tr`,
		"another kind": "\x01" + `{"published":"yes"}`, "two documents": "\x01{}{}",
	} {
		var v record.Pair
		if err := record.Decode([]byte(data), &v); err == nil {
			t.Errorf("%s: Decode(%q) = %+v, want an error", name, data, v)
		}
	}
}

// A member cannot be there twice in what Encode wrote. Decode does not look for one, which would cost more than all else it does.
func TestTheLastOfAMemberCounts(t *testing.T) {
	var got record.Pair
	err := record.Decode([]byte("\x01"+`{"overrides":"a","published":true,"overrides":"b"}`), &got)
	if want := (record.Pair{Overrides: "b", Published: true}); err != nil || got != want {
		t.Errorf("Decode() = %+v, %v, want %+v", got, err, want)
	}
}

func TestHashValid(t *testing.T) {
	good := record.HashOf([]byte("abc"))
	if want := record.Hash("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"); good != want || !good.Valid() {
		t.Errorf("HashOf(abc) = %s (valid %t), want %s", good, good.Valid(), want)
	}
	for _, bad := range []record.Hash{"", "abc", good[1:], good + "0", "G" + good[1:], "B" + good[1:], " " + good[1:]} {
		if bad.Valid() {
			t.Errorf("%q is valid", bad)
		}
	}
}

func TestRoleAllows(t *testing.T) {
	roles := []record.Role{"", record.Viewer, record.Editor, record.Admin}
	for i, r := range roles {
		for j, need := range roles {
			if got, want := r.Allows(need), i > 0 && i >= j; got != want {
				t.Errorf("%q.Allows(%q) = %t, want %t", r, need, got, want)
			}
		}
	}
	if record.Role("owner").Allows(record.Viewer) {
		t.Error("an unknown role allows something")
	}
}

func TestPlanVariantsPerTheme(t *testing.T) {
	for plan, want := range map[record.Plan]int{record.Free: 10, record.Pro: 100, "": 10} {
		if got := plan.VariantsPerTheme(); got != want {
			t.Errorf("%q.VariantsPerTheme() = %d, want %d", plan, got, want)
		}
	}
}
