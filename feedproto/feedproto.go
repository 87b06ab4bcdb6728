// Package feedproto is the protocol of the feed, which an origin and an edge serve and an edge follows: paths, queries,
// headers, limits and messages.
package feedproto

import (
	"crypto/sha256"
	"crypto/subtle"
	"strconv"
	"strings"
	"time"

	"example.com/livery/storage/record"
)

// The paths of the feed. Those that end in a slash go on with an address or a hash.
const (
	ChangesPath = "/feed/v1/changes"
	ModulesPath = "/feed/v1/modules"
	ThemesPath  = "/feed/v1/themes/"  // {environment}/{theme}
	PairsPath   = "/feed/v1/pairs/"   // {environment}/{theme}/{variant}/{version}, and /{modes} of an address with modes
	RefreshPath = "/feed/v1/refresh/" // {environment}/{theme}
	BlobsPath   = "/feed/v1/blobs/"   // {digest}

	ManifestsPath = "/feed/v1/manifests/" // {environment}/{theme}
)

// The headers in which an edge, and an origin for a refresh, says how current its answer is.
const (
	AgeHeader   = "Livery-Age"   // milliseconds since the answer was known to be current
	CoverHeader = "Livery-Cover" // NotFollowed, or absent
	NotFollowed = "aside"        // changes of the answer may not come over the feed of the edge that gave it
)

// The sizes of bodies that a client accepts, in bytes.
const (
	MaxRecordBytes  = 4 << 20
	MaxRefreshBytes = 6 << 20
	MaxBlobBytes    = 64 << 20
)

// FormatAge returns the value of AgeHeader: an age rounded up to milliseconds, 0 if it is negative.
func FormatAge(age time.Duration) string {
	return strconv.FormatInt(max(0, (age+time.Millisecond-1).Milliseconds()), 10)
}

// ParseAge reads the value of AgeHeader; 0 if it is absent or not a valid number.
func ParseAge(value string) time.Duration {
	milliseconds, err := strconv.ParseUint(value, 10, 40)
	if err != nil {
		return 0
	}
	return time.Duration(milliseconds) * time.Millisecond
}

// Token is the digest of the token that a client of the feed must carry.
type Token [sha256.Size]byte

// NewToken returns the digest of a token.
func NewToken(token string) Token { return sha256.Sum256([]byte(token)) }

// Authorization returns the value of the Authorization header that carries a token.
func Authorization(token string) string { return "Bearer " + token }

// Authorizes reports whether the Authorization lines of a request are one line that carries the token. It compares
// digests, so that neither content nor length of the token shows in the time.
func (t Token) Authorizes(lines [][]byte) bool {
	if len(lines) != 1 {
		return false
	}
	scheme, token, _ := strings.Cut(string(lines[0]), " ")
	sum := NewToken(token)
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(sum[:], t[:]) == 1
}

// The parts of an address that an answer of status 404 can name.
const (
	MissingTheme   = "theme"
	MissingVariant = "variant"
	MissingVersion = "version"
	MissingModes   = "modes"
	MissingBlob    = "blob"
)

// NotFound is the body of an answer of status 404: the part of the address that does not exist.
type NotFound struct {
	Missing string `json:"missing"`
}

// SplitPair takes the key of a pair apart, "{environment}/{theme}/{-|variant}/{latest|number}" or that with "/{modes}":
// files is what precedes the version, modes is empty without modes. All are empty if a part of the key is missing.
func SplitPair(key string) (files, version, modes string) {
	end := -1
	for range 3 {
		slash := strings.IndexByte(key[end+1:], '/')
		if slash < 0 {
			return "", "", ""
		}
		end += 1 + slash
	}
	version, modes, _ = strings.Cut(key[end+1:], "/")
	return key[:end], version, modes
}

// Modules lists the renderer modules that a server of the feed has.
type Modules struct {
	Modules []record.Module `json:"modules"`
}
