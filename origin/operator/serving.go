package operator

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// Access says who may have the files of a Theme, without secrets.
type Access struct {
	Mode            string   `json:"mode"`            // public or signed
	SigningKeys     []string `json:"signingKeys"`     // key ids
	AllowedOrigins  []string `json:"allowedOrigins"`  // empty means no allowlist
	MissingOrigin   string   `json:"missingOrigin"`   // allowNonBrowsers, refuse or allow
	AllowedIPRanges []string `json:"allowedIPRanges"` // CIDR; empty means no restriction
}

// NewAccess returns what a Theme's record says.
func NewAccess(s record.Serving) Access {
	ids := []string{}
	for _, key := range s.SigningKeys {
		ids = append(ids, key.ID)
	}
	return Access{s.Mode, ids, s.AllowedOrigins, s.MissingOrigin, s.AllowedIPRanges}
}

// Serving is how a Theme is served.
type Serving struct {
	Access
	Manifest   bool    `json:"manifest"`   // edges serve the manifest, which lists the published Variants
	Prefix     string  `json:"prefix"`     // CSS prefix that the newest publish made live
	NextPrefix *string `json:"nextPrefix"` // CSS prefix that the next publish makes live; null means as it is
}

// ServingUpdate says what to change; nil leaves a setting as it is, and a list replaces the list.
type ServingUpdate struct {
	Mode            *string   `json:"mode,omitempty"`
	AllowedOrigins  *[]string `json:"allowedOrigins,omitempty"`
	MissingOrigin   *string   `json:"missingOrigin,omitempty"`
	AllowedIPRanges *[]string `json:"allowedIPRanges,omitempty"`
	Manifest        *bool     `json:"manifest,omitempty"`
	Prefix          *string   `json:"prefix,omitempty"` // live with the next publish
}

// maxPrefix is the length of the longest CSS prefix, maxAllowed that of the longest list.
const (
	maxPrefix  = 64
	maxAllowed = 1000
)

// ShowServing returns how the Theme is served, or storage.ErrNotFound.
func ShowServing(ctx context.Context, store storage.Store, themeID string) (Serving, error) {
	theme, err := storage.Snapshot(ctx, store, func(r storage.Reader) (record.Theme, error) {
		theme, err := findTheme(r, themeID)
		if err != nil || theme.PreviewOf == "" {
			return theme, err
		}
		environment, err := storage.Environments.Read(r, theme.EnvironmentID)
		if err != nil {
			return theme, err
		}
		served, err := storage.ServedAs(r, environment, theme)
		theme.Serving = served.Serving
		return theme, err
	})
	return newServing(theme), err
}

// SetServing changes how the Theme is served and returns what holds now. It returns
// storage.ErrNotFound, or a *theming.Error that lists every fault of the update.
func SetServing(ctx context.Context, store storage.Store, themeID string, update ServingUpdate, now time.Time) (Serving, error) {
	if err := invalid(update.faults()); err != nil {
		return Serving{}, err
	}
	apply := func(t *record.Theme) error {
		update.apply(t)
		return nil
	}
	theme, err := changeTheme(ctx, store, themeID, now, themeChange{ActionServing, apply, servingChanges})
	return newServing(theme), err
}

// servingChanges says in one sentence each what is different in how a Theme is served.
func servingChanges(before, after record.Theme) (sentences []string) {
	old, s := before.Serving, after.Serving
	sentences = becomes(sentences, "mode", old.Mode, s.Mode)
	sentences = becomes(sentences, "allowedOrigins", commaList(old.AllowedOrigins), commaList(s.AllowedOrigins))
	sentences = becomes(sentences, "missingOrigin", old.MissingOrigin, s.MissingOrigin)
	sentences = becomes(sentences, "allowedIPRanges", commaList(old.AllowedIPRanges), commaList(s.AllowedIPRanges))
	sentences = becomes(sentences, "manifest", strconv.FormatBool(!old.NoManifest), strconv.FormatBool(!s.NoManifest))
	return becomes(sentences, "the CSS prefix of the next publish", nextPrefix(before), nextPrefix(after))
}

// nextPrefix quotes the CSS prefix of the next publish; "" if none was ever set, which is another
// thing than an empty one.
func nextPrefix(t record.Theme) string {
	switch {
	case t.DraftPrefix != nil:
		return fmt.Sprintf("%q", *t.DraftPrefix)
	case t.AssetSettings.IsLive:
		return fmt.Sprintf("%q", t.AssetSettings.Prefix)
	}
	return ""
}

func newServing(t record.Theme) Serving {
	return Serving{NewAccess(t.Serving), !t.Serving.NoManifest, t.AssetSettings.Prefix, t.DraftPrefix}
}

func (u ServingUpdate) apply(t *record.Theme) {
	if u.Mode != nil {
		t.Serving.Mode = *u.Mode
	}
	if u.AllowedOrigins != nil {
		t.Serving.AllowedOrigins = append([]string{}, *u.AllowedOrigins...)
	}
	if u.MissingOrigin != nil {
		t.Serving.MissingOrigin = *u.MissingOrigin
	}
	if u.AllowedIPRanges != nil {
		t.Serving.AllowedIPRanges = append([]string{}, *u.AllowedIPRanges...)
	}
	if u.Manifest != nil {
		t.Serving.NoManifest = !*u.Manifest
	}
	if u.Prefix != nil {
		t.DraftPrefix = u.Prefix
	}
}

func (u ServingUpdate) faults() []string {
	var faults []string
	if u.Mode != nil && *u.Mode != "public" && *u.Mode != "signed" {
		faults = append(faults, fmt.Sprintf("mode: %q is neither public nor signed", *u.Mode))
	}
	if u.MissingOrigin != nil && !slices.Contains([]string{"allowNonBrowsers", "refuse", "allow"}, *u.MissingOrigin) {
		faults = append(faults, fmt.Sprintf("missingOrigin: %q is neither allowNonBrowsers, refuse nor allow", *u.MissingOrigin))
	}
	if u.Prefix != nil && *u.Prefix != "" && !validPrefix(*u.Prefix) {
		faults = append(faults, fmt.Sprintf("prefix: must have at most %d letters, digits, '-' or '_', the first a letter", maxPrefix))
	}
	faults = append(faults, listFaults("allowedOrigins", u.AllowedOrigins, originFault)...)
	return append(faults, listFaults("allowedIPRanges", u.AllowedIPRanges, rangeFault)...)
}

func listFaults(name string, items *[]string, fault func(string) string) []string {
	if items == nil {
		return nil
	}
	var faults []string
	if len(*items) > maxAllowed {
		faults = append(faults, fmt.Sprintf("%s: must have at most %d entries", name, maxAllowed))
	}
	for i, item := range *items {
		if what := fault(item); what != "" {
			faults = append(faults, fmt.Sprintf("%s[%d]: %q %s", name, i, item, what))
		}
	}
	return faults
}

func validPrefix(s string) bool {
	return wordOf(s, "-_", maxPrefix) && (s[0] < '0' || s[0] > '9')
}

// originFault says what is wrong with an allowed origin: scheme://host[:port], if the host may
// begin with "*." for any name below it.
func originFault(origin string) string {
	u, err := url.Parse(origin)
	switch {
	case err != nil || u.Host == "" || u.Opaque != "" || u.User != nil:
		return "is not of the form scheme://host[:port]"
	case u.Scheme != "https" && u.Scheme != "http":
		return "must begin with https:// or http://"
	case u.Path != "" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.HasSuffix(origin, "#"):
		return "must end after the host and port"
	}
	host := strings.TrimPrefix(u.Hostname(), "*.")
	if host == "" || strings.Contains(host, "*") {
		return "may have one * only, as the first label"
	}
	return ""
}

func rangeFault(cidr string) string {
	if prefix, err := netip.ParsePrefix(cidr); err != nil || prefix.Addr().Zone() != "" {
		return "is not a CIDR range"
	}
	return ""
}
