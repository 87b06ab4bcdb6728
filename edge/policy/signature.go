package policy

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"example.com/livery/edge/address"
	"example.com/livery/storage/record"
)

// ClockSkew is how long after its expiry an address is still taken: clocks differ.
const ClockSkew = 60 * time.Second

// scheme is the first line of everything that is signed: a signature made for another purpose with
// the same key is of no use here.
const scheme = "livery-url-v1\n"

// Sign returns the parameters that make path a signed address until expires. path begins with "/", and ends in
// "?modes={modes}" if the address has modes; its query is nothing else.
func Sign(path string, expires time.Time, key record.SigningKey) string {
	seconds := strconv.FormatInt(expires.Unix(), 10)
	return finish("", path, seconds, key)
}

// SignFolder returns the query that signs every path below prefix, which begins and ends with "/".
func SignFolder(prefix string, expires time.Time, key record.SigningKey) string {
	seconds := strconv.FormatInt(expires.Unix(), 10)
	return finish("URLPrefix="+base64.RawURLEncoding.EncodeToString([]byte(prefix))+"&", prefix+"*", seconds, key)
}

func finish(lead, target, seconds string, key record.SigningKey) string {
	sum := signature(key.Secret, target, seconds, key.ID)
	return lead + "Expires=" + seconds + "&KeyName=" + key.ID + "&Signature=" + base64.RawURLEncoding.EncodeToString(sum)
}

// signature signs "livery-url-v1\n{target}\n{Expires}\n{KeyName}".
func signature(secret []byte, target, seconds, keyID string) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(scheme + target + "\n" + seconds + "\n" + keyID))
	return mac.Sum(nil)
}

// verify checks a signed address: its parameters are exactly those of Sign or SignFolder, in that
// order, the key is one of the Theme's and the signature is of this path.
func (r *Rules) verify(req *Request) (expires time.Time, ok bool) {
	rest := string(req.Query)
	target := string(req.Path)
	if len(req.Modes) > 0 {
		target += "?" + address.ModesParameter.String() + "=" + string(req.Modes)
	}
	if encoded, after, folder := parameter(rest, address.URLPrefixParameter); folder {
		prefix, err := decode(encoded)
		if err != nil || !covers(prefix, req.Path) {
			return time.Time{}, false
		}
		target, rest = string(prefix)+"*", after
	}
	seconds, rest, ok1 := parameter(rest, address.ExpiresParameter)
	keyID, rest, ok2 := parameter(rest, address.KeyNameParameter)
	encoded, rest, ok3 := parameter(rest, address.SignatureParameter)
	if !ok1 || !ok2 || !ok3 || rest != "" || strings.HasSuffix(string(req.Query), "&") {
		return time.Time{}, false
	}
	expires, ok = parseExpires(seconds)
	given, err := decode(encoded)
	if !ok || err != nil || req.Now.After(expires.Add(ClockSkew)) {
		return time.Time{}, false
	}
	return expires, r.signs(given, target, seconds, keyID)
}

// signs compares in constant time with the signature of every key of that name.
func (r *Rules) signs(given []byte, target, seconds, keyID string) bool {
	for _, key := range r.keys {
		if key.ID == keyID && len(key.Secret) > 0 && hmac.Equal(given, signature(key.Secret, target, seconds, keyID)) {
			return true
		}
	}
	return false
}

// parameter cuts "name=value" off the front of a query.
func parameter(query string, name address.Parameter) (value, rest string, ok bool) {
	value, ok = strings.CutPrefix(query, name.String()+"=")
	if !ok {
		return "", query, false
	}
	value, rest, _ = strings.Cut(value, "&")
	return value, rest, true
}

// covers reports whether a signed folder holds the path.
func covers(prefix, path []byte) bool {
	return len(prefix) > 0 && prefix[0] == '/' && prefix[len(prefix)-1] == '/' && bytes.HasPrefix(path, prefix)
}

// parseExpires reads unix seconds: digits without sign or leading zero.
func parseExpires(s string) (time.Time, bool) {
	if s == "" || len(s) > 11 || s[0] == '0' || strings.Trim(s, "0123456789") != "" {
		return time.Time{}, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return time.Unix(n, 0), err == nil
}

// decode reads base64url with or without its padding, and only in its one canonical spelling.
func decode(s string) ([]byte, error) {
	if strings.HasSuffix(s, "=") {
		return base64.URLEncoding.Strict().DecodeString(s)
	}
	return base64.RawURLEncoding.Strict().DecodeString(s)
}
