// Package record holds what Livery stores and feeds to edges, and the one encoding of it: a format
// byte followed by JSON. Records carry no behaviour beyond reading themselves; the rules that make
// them live in origin/theming.
package record

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Hash names a blob: the SHA-256 of its content in 64 lower-case hexadecimal digits. The empty
// Hash names nothing.
type Hash string

// HashOf returns the name of a blob.
func HashOf(blob []byte) Hash {
	sum := sha256.Sum256(blob)
	return Hash(hex.EncodeToString(sum[:]))
}

// Valid reports whether h has the form of a hash.
func (h Hash) Valid() bool {
	if len(h) != 64 {
		return false
	}
	for _, c := range []byte(h) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// Role is what a grant allows on an Environment; a higher role may do all that a lower one may.
type Role string

// The roles, lowest first.
const (
	Viewer Role = "viewer"
	Editor Role = "editor"
	Admin  Role = "admin"
)

// Allows reports whether a caller with role r may do what needs role need.
func (r Role) Allows(need Role) bool { return r.rank() >= need.rank() && r.rank() > 0 }

func (r Role) rank() int {
	switch r {
	case Viewer:
		return 1
	case Editor:
		return 2
	case Admin:
		return 3
	}
	return 0
}

// Plan is a Team's subscription.
type Plan string

// The plans.
const (
	Free Plan = "free"
	Pro  Plan = "pro"
)

// VariantsPerTheme is the number of Variants that a Theme may have under the plan.
func (p Plan) VariantsPerTheme() int {
	if p == Pro {
		return 100
	}
	return 10
}

// Team owns Environments. Only the operator writes it.
type Team struct {
	ID      string   `json:"id"`   // "team_…"
	Slug    string   `json:"slug"` // unique in the store
	Plan    Plan     `json:"plan"`
	Members []string `json:"members"` // token subjects, sorted; a member without a grant is answered 403
}

// Environment is the isolation boundary above Themes. Only the operator writes it.
type Environment struct {
	ID            string            `json:"id"` // "env_…"
	TeamID        string            `json:"teamID"`
	Slug          string            `json:"slug"` // unique within the Team
	DisplayName   string            `json:"displayName"`
	Kind          string            `json:"kind"`        // sandbox, staging or production
	Description   *string           `json:"description"` // nil means none
	Metadata      map[string]string `json:"metadata"`
	CacheLifetime uint32            `json:"cacheLifetime"`      // seconds an edge may reuse a latest answer
	Grants        map[string]Role   `json:"grants"`             // by token subject
	PreviewOf     string            `json:"previewOf,omitzero"` // id of the Environment of whose Themes all Themes here are previews; empty: none are
	Identities    Identities        `json:"identities,omitzero"`
	CreatedAt     time.Time         `json:"createdAt"`
	UpdatedAt     time.Time         `json:"updatedAt"`
}

// Identities says who is told who made a change in an Environment.
type Identities string

// The values of Identities.
const (
	IdentitiesFull Identities = ""     // admins and editors, and the webhooks that ask for it
	IdentitiesNone Identities = "none" // nobody
)

// Blocks are the sparse index of a list: neighbouring entries, counted together.
type Blocks struct {
	Blocks []Block `json:"blocks"` // in the order of the list, at least one
}

// Block is a part of a list up to where the next begins.
type Block struct {
	First string `json:"first"` // slug from which on it goes; the first block goes from the beginning
	Count int    `json:"count"`
}

// Integration is one pair of the catalogue.
type Integration struct {
	Framework string `json:"framework"`
	Library   string `json:"library"`
}

// SealIDBytes is how many bytes at the beginning of a sealed secret name the master key that sealed it.
const SealIDBytes = 8

// SigningKey verifies signed addresses of one Theme.
type SigningKey struct {
	ID        string    `json:"id"`
	Secret    []byte    `json:"secret"`          // never leaves the origin but over the authenticated feed
	Sealed    bool      `json:"sealed,omitzero"` // Secret is sealed under the master key; never so in what is fed
	CreatedAt time.Time `json:"createdAt"`
}

// Serving says who may have a Theme's files. Only the operator writes it.
type Serving struct {
	Mode            string       `json:"mode"` // public or signed
	SigningKeys     []SigningKey `json:"signingKeys"`
	AllowedOrigins  []string     `json:"allowedOrigins"`  // empty means no allowlist
	MissingOrigin   string       `json:"missingOrigin"`   // allowNonBrowsers, refuse or allow
	AllowedIPRanges []string     `json:"allowedIPRanges"` // CIDR; empty means no restriction

	NoManifest bool `json:"noManifest,omitzero"` // edges do not serve the manifest, which lists the published Variants
}

// AssetSettings are the CSS settings that the newest publish made live.
type AssetSettings struct {
	Prefix      string `json:"prefix"`
	IsLive      bool   `json:"isLive"`
	LiveVersion uint32 `json:"liveVersion"` // 0 means none
}

// Theme is a Theme without its documents. TokenCount and DraftETag repeat what the draft and the
// newest version hold, so that a list reads one record for each Theme.
type Theme struct {
	ID            string            `json:"id"` // "thm_…"
	EnvironmentID string            `json:"environmentID"`
	Slug          string            `json:"slug"` // unique within the Environment
	DisplayName   string            `json:"displayName"`
	Metadata      map[string]string `json:"metadata"`
	Integrations  []Integration     `json:"integrations"` // in the order given; no pair twice
	Serving       Serving           `json:"serving"`
	AssetSettings AssetSettings     `json:"assetSettings"`
	DraftPrefix   *string           `json:"draftPrefix"`        // CSS prefix that the next publish makes live; nil means as it is
	TokenCount    int               `json:"tokenCount"`         // of the draft if there is one, else of the newest version
	Bytes         int               `json:"bytes,omitzero"`     // size of the largest document that it has or had
	LatestVersion uint32            `json:"latestVersion"`      // counts from 1 and never skips; 0 before the first publish
	PublishedAt   time.Time         `json:"publishedAt"`        // zero before the first publish
	DraftETag     string            `json:"draftETag"`          // empty without a draft
	Modes         []Mode            `json:"modes,omitzero"`     // in the order given; nil means none
	PreviewOf     string            `json:"previewOf,omitzero"` // id of the Theme in the Environment's PreviewOf whose Serving counts in the place of this one's; empty: its own
	CreatedAt     time.Time         `json:"createdAt"`
	UpdatedAt     time.Time         `json:"updatedAt"`
}

// Mode gives a Variant of a Theme a condition: it says what the mode of a dimension overrides, for one brand or for all
// brands that have no Mode of their own for it.
type Mode struct {
	Dimension string `json:"dimension"`        // for example scheme
	Mode      string `json:"mode"`             // for example dark
	Variant   string `json:"variant,omitzero"` // id of the Variant whose overrides it has; empty: it overrides nothing
	When      string `json:"when,omitzero"`    // media condition under which it holds; empty: only an attribute selects it
	For       string `json:"for,omitzero"`     // id of the brand's Variant; empty: every brand, and the Theme itself
}

// Listed is what a list looks at of a Theme, a Variant or an Environment: it reads their records.
type Listed struct {
	ID          string            `json:"id"`
	Slug        string            `json:"slug"`
	DisplayName string            `json:"displayName"`
	Metadata    map[string]string `json:"metadata"`
	DraftETag   string            `json:"draftETag"` // empty without a draft, and of an Environment
	UpdatedAt   time.Time         `json:"updatedAt"`
}

// Listed returns what a list looks at of the Theme.
func (t Theme) Listed() Listed {
	return Listed{t.ID, t.Slug, t.DisplayName, t.Metadata, t.DraftETag, t.UpdatedAt}
}

// Listed returns what a list looks at of the Variant.
func (v Variant) Listed() Listed {
	return Listed{v.ID, v.Slug, v.DisplayName, v.Metadata, v.DraftETag, v.UpdatedAt}
}

// Move is one rename: the token or group at From (a JSON Pointer into the version beneath a draft or
// before a version) is the one at To in it. The moves of one draft or version are simultaneous.
type Move struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Inferred bool   `json:"inferred,omitzero"` // a publish paired the two by their content; of a draft's moves none is
}

// ThemeDraft is the unpublished state of a Theme's document.
type ThemeDraft struct {
	ETag      string         `json:"etag"`
	Base      uint32         `json:"base"`  // the version beneath; 0 is the empty document
	Patch     jsontext.Value `json:"patch"` // smallest RFC 6902 patch from Base to the draft
	Moves     []Move         `json:"moves"` // renames of the draft, for Variant migration
	UpdatedAt time.Time      `json:"updatedAt"`
}

// ThemeVersion is one published version: the inputs of its files, fixed for ever.
type ThemeVersion struct {
	Number      uint32    `json:"number"`
	Document    Hash      `json:"document"` // blob: the DTCG document as JSON
	TokenCount  int       `json:"tokenCount"`
	Prefix      string    `json:"prefix"` // CSS property prefix; empty means none
	Module      Hash      `json:"module"` // renderer module that renders this version for ever
	Plan        Hash      `json:"plan"`   // derived blob: the plans of its files as Module compiles them, a bundle of package plan
	Moves       []Move    `json:"moves"`  // renames from the version before, as its publish carried overrides by them
	PublishedAt time.Time `json:"publishedAt"`
	Modes       []Mode    `json:"modes,omitzero"` // the Theme's when it was published; nil means none
	Remark      Remark    `json:"remark"`
}

// Remark is what a version says of its publish, beside its time.
type Remark struct {
	By      string `json:"by"`      // subject of the token that published it
	Note    string `json:"note"`    // empty means none
	Added   int    `json:"added"`   // tokens, or overrides of a Variant, since the version before
	Removed int    `json:"removed"` // since the version before
	Changed int    `json:"changed"` // since the version before; another value, type or path, and metadata
}

// Variant is a Variant without its overrides.
type Variant struct {
	ID            string            `json:"id"` // "var_…"
	EnvironmentID string            `json:"environmentID"`
	ThemeID       string            `json:"themeID"`
	Slug          string            `json:"slug"` // unique within the Theme
	DisplayName   string            `json:"displayName"`
	Metadata      map[string]string `json:"metadata"`
	TokenCount    int               `json:"tokenCount"`     // overrides of the draft if there is one, else of the newest version
	Bytes         int               `json:"bytes,omitzero"` // size of the largest overrides that it has or had
	LatestVersion uint32            `json:"latestVersion"`  // a Theme version number; 0 before the first publish
	PublishedAt   time.Time         `json:"publishedAt"`    // zero before the first publish
	DraftETag     string            `json:"draftETag"`      // empty without a draft
	CreatedAt     time.Time         `json:"createdAt"`
	UpdatedAt     time.Time         `json:"updatedAt"`
}

// VariantDraft is the unpublished state of a Variant's overrides.
type VariantDraft struct {
	ETag      string         `json:"etag"`
	Addressed uint32         `json:"addressed"` // Theme version that the paths are spelled against; 0 before the first
	Overrides jsontext.Value `json:"overrides"` // flat JSON object: dotted path to value, in the order set
	UpdatedAt time.Time      `json:"updatedAt"`
}

// VariantVersion is one publish of a Variant; its number is a Theme version's.
type VariantVersion struct {
	Number      uint32    `json:"number"`
	Overrides   Hash      `json:"overrides"` // blob: flat JSON object
	TokenCount  int       `json:"tokenCount"`
	PublishedAt time.Time `json:"publishedAt"`
	Remark      Remark    `json:"remark"`
}

// Pair is what one Variant serves at one Theme version. Without a Pair the Variant serves
// the Theme's own values: it had no published overrides then.
type Pair struct {
	Overrides Hash `json:"overrides"` // blob: flat JSON object; empty means none
	Overlay   Hash `json:"overlay"`   // derived blob: the overlays that Overrides compile to, a bundle of package plan; empty if there are none or they are not compiled yet
	Published bool `json:"published"` // the Variant was published at this version, so the pair is sealed
}

// Module is a registered renderer module; the module itself is the blob of its digest.
type Module struct {
	Digest       Hash      `json:"digest"`
	CoreVersion  string    `json:"coreVersion"` // renderer.Version of the build
	ABIVersion   uint32    `json:"abiVersion"`  // abi.Version of the build
	Toolchain    string    `json:"toolchain"`   // compiler that built it; empty: it does not say
	Size         int       `json:"size"`        // bytes
	RegisteredAt time.Time `json:"registeredAt"`
}

// TokenKey is an Ed25519 key with which the origin signs access tokens.
type TokenKey struct {
	ID        string    `json:"id"`              // the "kid" of tokens
	Seed      []byte    `json:"seed"`            // 32 bytes, or what seals them
	Sealed    bool      `json:"sealed,omitzero"` // Seed is sealed under the master key
	CreatedAt time.Time `json:"createdAt"`
	RetiredAt time.Time `json:"retiredAt,omitzero"` // when a newer key took over; zero for the newest
}

// LoginCode is what a code that works once is exchanged for. Its key is the SHA-256 of the code, which is stored nowhere.
type LoginCode struct {
	Subject string    `json:"subject"` // of the access token that it is exchanged for
	Expires time.Time `json:"expires"` // of the code
}

// Issuer is an OpenID Connect issuer whose tokens the origin accepts beside its own. Only the operator
// writes it. Several may share one URL, each for tokens with other claims.
type Issuer struct {
	Name          string            `json:"name"`                  // unique in the store
	URL           string            `json:"url"`                   // the "iss" of its tokens, compared exactly
	KeySet        string            `json:"keySet"`                // https address, or absolute path, of its JSON Web Key Set
	TeamID        string            `json:"teamID"`                // the one Team that its tokens reach; empty: subjects are members of Teams by name
	SubjectPrefix string            `json:"subjectPrefix"`         // put before every subject without a Team
	Claims        map[string]string `json:"claims"`                // what a token must claim, all of it
	RoleClaim     string            `json:"roleClaim"`             // the claim that names the role in the Team; empty without a Team
	Roles         map[string]Role   `json:"roles"`                 // role by the value of that claim; empty: the value is the role
	Environments  map[string]Role   `json:"environments,omitzero"` // role by the slug of an Environment of the Team, in the place of RoleClaim and Roles
	Login         *IssuerLogin      `json:"login,omitzero"`        // how people log in there; nil: they do not
}

// IssuerLogin is how people log in at an Issuer by its device authorization grant (RFC 8628). Anybody may
// read it.
type IssuerLogin struct {
	ClientID   string            `json:"clientID"`   // a public client of the issuer's, without a secret
	Scopes     []string          `json:"scopes"`     // asked for, in this order
	Parameters map[string]string `json:"parameters"` // sent beside, such as the audience of the token
}

// Replay is the first answer to a request that carried an Idempotency-Key.
type Replay struct {
	BodyHash  Hash      `json:"bodyHash"` // of the request's body
	Status    int       `json:"status"`
	Answer    []byte    `json:"answer"`
	ExpiresAt time.Time `json:"expiresAt"`

	Packed  bool              `json:"packed,omitzero"`  // Answer is compressed with zstd
	Sealed  bool              `json:"sealed,omitzero"`  // Answer is sealed under the master key: it holds a secret
	Headers map[string]string `json:"headers,omitzero"` // of the answer, beside those that every answer has
}

// Audit is one entry of the audit log: who did what and when. It holds no secret.
type Audit struct {
	Number        uint32    `json:"number"`            // counts from 1 within the scope of the commit, and never skips
	Previous      Hash      `json:"previous,omitzero"` // of the entry before as it is stored; empty for number 1
	At            time.Time `json:"at"`                // not before that of the entry before
	Actor         Actor     `json:"actor"`
	Action        string    `json:"action"`                 // one of few words, such as "theme publish"
	Target        string    `json:"target"`                 // what it was done to, by its names
	EnvironmentID string    `json:"environmentID,omitzero"` // empty if it was done to no Environment
	ThemeID       string    `json:"themeID,omitzero"`       // empty if it was done to no Theme
	ThemeSlug     string    `json:"themeSlug,omitzero"`     // at that time
	VariantID     string    `json:"variantID,omitzero"`     // empty if it was done to no Variant
	Changes       []string  `json:"changes"`                // one sentence each, with what was before and what is after
	RequestID     string    `json:"requestID,omitzero"`     // X-Request-Id of the answer; empty for the operator
}

// Event tells of one change to a Theme or a Variant. It is written in the commit that it tells of.
type Event struct {
	Number    uint32    `json:"number"` // counts from 1 within the Environment, and never skips
	Tag       string    `json:"tag"`    // random: tells the event from one of the same number in another history
	At        time.Time `json:"at"`     // not before that of the event before
	By        string    `json:"by"`     // subject of the token
	Kind      string    `json:"kind"`   // such as theme.published
	ThemeID   string    `json:"themeID"`
	VariantID string    `json:"variantID,omitzero"` // empty if it is about the Theme itself
	Version   uint32    `json:"version,omitzero"`   // that was published; 0 if none was
	Note      string    `json:"note,omitzero"`      // of the version
	ETag      string    `json:"etag,omitzero"`      // of the draft that was made; empty if none was
	Count     int       `json:"count,omitzero"`     // of the Variants that it is about, if they are many; else 0
	Variants  []string  `json:"variants,omitzero"`  // ids of the first of many
}

// EventEnd is where the events of an Environment end.
type EventEnd struct {
	Last    uint32    `json:"last"`             // number of the newest event
	At      time.Time `json:"at"`               // of the newest event
	Dropped uint32    `json:"dropped,omitzero"` // number of the newest event that is not kept any more, nor are those before; 0: all are kept
}

// Webhook is an address that is sent the events of an Environment, and how far it is with them.
type Webhook struct {
	ID            string          `json:"id"` // "whk_…"
	EnvironmentID string          `json:"environmentID"`
	URL           string          `json:"url"`
	Kinds         []string        `json:"kinds"`  // of the events that are sent; empty: all that its format is for
	Format        string          `json:"format"` // of bodies: event, events, purge or chat
	Description   string          `json:"description,omitzero"`
	Identities    bool            `json:"identities,omitzero"` // events say who made the change, if the Environment tells that
	Secrets       []WebhookSecret `json:"secrets"`             // the newest first
	CreatedAt     time.Time       `json:"createdAt"`

	EndedAt     time.Time `json:"endedAt,omitzero"`     // when the receiver answered 410 Gone; zero: it did not, or it took a delivery by hand since
	PausedUntil time.Time `json:"pausedUntil,omitzero"` // as the receiver's Retry-After asked; nothing is sent before, but by hand

	Cursor  uint32      `json:"cursor"`           // number of the event up to which all are sent, not wanted, or of a late Theme
	Late    []LateTheme `json:"late,omitzero"`    // in no order
	Queue   []uint32    `json:"queue,omitzero"`   // numbers of the deliveries that are due once, by hand
	Last    uint32      `json:"last,omitzero"`    // number of the newest delivery
	Dropped uint32      `json:"dropped,omitzero"` // number of the newest delivery that is not kept any more, nor are those before; 0: all are kept
	Thinned uint32      `json:"thinned,omitzero"` // number of the delivery up to which those that were delivered are not kept
	Commits uint64      `json:"commits,omitzero"` // of sent deliveries: two that send at one time notice each other by it
}

// WebhookSecret signs what is sent to a Webhook.
type WebhookSecret struct {
	Secret    []byte    `json:"secret"` // sealed under the master key
	CreatedAt time.Time `json:"createdAt"`
	RetiresAt time.Time `json:"retiresAt,omitzero"` // when it signs no longer; zero for the newest
}

// LateTheme is a Theme with an event that a Webhook did not take: its later events wait for that one.
type LateTheme struct {
	ThemeID  string    `json:"themeID"`
	Event    uint32    `json:"event"`             // number of the event that is sent next; there may be none of the Theme from it on
	Delivery uint32    `json:"delivery,omitzero"` // of that event; 0: it was not sent yet
	Attempts int       `json:"attempts"`          // to send that event
	Since    time.Time `json:"since,omitzero"`    // when the first of these attempts in a row failed; zero: the last did not
	NextAt   time.Time `json:"nextAt"`
}

// Delivery is one event for one Webhook, in its log.
type Delivery struct {
	Number    uint32    `json:"number"` // counts from 1 within the Webhook, and never skips
	Event     Event     `json:"event"`
	State     string    `json:"state"`    // waiting, delivered, retrying, dead or missed
	Attempts  int       `json:"attempts"` // made so far
	CreatedAt time.Time `json:"createdAt"`
	TriedAt   time.Time `json:"triedAt,omitzero"`  // the newest attempt; zero: there was none
	NextAt    time.Time `json:"nextAt,omitzero"`   // the next attempt; zero: there is none
	Status    int       `json:"status,omitzero"`   // of the newest answer; 0: there was none
	Answer    string    `json:"answer,omitzero"`   // what came of the newest attempt, in words
	Duration  int64     `json:"duration,omitzero"` // of the newest attempt, in milliseconds
}

// Actor is who did something. The fields that do not belong to Kind are empty.
type Actor struct {
	Kind    string `json:"kind"`             // operator, user, or program: Livery itself
	UID     *int   `json:"uid,omitzero"`     // of the operator's process, as the system says; nil: it does not say
	PID     int    `json:"pid,omitzero"`     // of the operator's process; 0: the system does not say
	Login   string `json:"login,omitzero"`   // name of UID on the machine of the origin
	As      string `json:"as,omitzero"`      // who the operator says to be: a claim
	Issuer  string `json:"issuer,omitzero"`  // of the user's token
	Subject string `json:"subject,omitzero"` // of the user's token, as grants name it
}

// Change is one entry of the change log: something that an edge may hold of the Theme, or of every
// Theme of the Environment if ThemeID is empty, is different since.
type Change struct {
	EnvironmentID string    `json:"environmentID,omitzero"` // empty for what no edge holds
	ThemeID       string    `json:"themeID,omitzero"`
	At            time.Time `json:"at"`
	Internal      bool      `json:"internal,omitzero"` // to one Environment, and nothing that an edge or another origin holds
}

// format is the first byte of every encoded record. A later format gets the next number.
const format = 1

// Encode returns the stored form of a record: the same bytes for the same record, and JSON within
// it spelled as it came. JSON within it must name no member of an object twice: neither Encode nor
// Decode looks, because that costs about as much as all else they do, and the code that makes a record has
// its JSON from a tree, which cannot.
func Encode(v any) ([]byte, error) {
	body, err := json.Marshal(v, json.Deterministic(true), jsontext.PreserveRawStrings(true), jsontext.AllowDuplicateNames(true))
	if err != nil {
		return nil, fmt.Errorf("record: encode %T: %w", v, err)
	}
	return append([]byte{format}, body...), nil
}

// Decode reads the stored form of a record into v, a pointer. Unknown members are ignored. Of a member that is there twice, which no Encode
// wrote, the last counts: that stored bytes are the ones written is for the store's checksums to say.
func Decode(data []byte, v any) error {
	if len(data) == 0 || data[0] != format {
		return fmt.Errorf("record: decode %T: not a record of format %d", v, format)
	}
	if err := json.Unmarshal(data[1:], v, jsontext.AllowDuplicateNames(true)); err != nil {
		return fmt.Errorf("record: decode %T: %w", v, err)
	}
	return nil
}
