package auth_test

import (
	"testing"
	"time"

	"example.com/livery/origin/auth"
)

// Every refusal is counted under one of a dozen words, which tell an operator where to look.
func TestRefusalsHaveAReason(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	good := s.forge(s.header(), s.claims())
	for name, c := range map[string]struct {
		lines []string
		want  string
	}{
		"no header":         {nil, "none"},
		"two headers":       {[]string{"Bearer " + good, "Bearer " + good}, "none"},
		"another scheme":    {[]string{"Basic " + good}, "none"},
		"no token":          {[]string{"Bearer x.y.z"}, "malformed"},
		"expired":           {[]string{"Bearer " + s.forge(s.header(), s.claims().with("exp", s.now.Add(-time.Hour).Unix()))}, "expired"},
		"too early":         {[]string{"Bearer " + s.forge(s.header(), s.claims().with("nbf", s.now.Add(time.Hour).Unix()))}, "early"},
		"another audience":  {[]string{"Bearer " + s.forge(s.header(), s.claims().with("aud", "https://x"))}, "audience"},
		"another issuer":    {[]string{"Bearer " + s.forge(s.header(), s.claims().with("iss", "https://evil.example"))}, "issuer"},
		"an unknown key":    {[]string{"Bearer " + s.forge(s.header().with("kid", "key_0"), s.claims())}, "key"},
		"a wrong signature": {[]string{"Bearer " + good[:len(good)-20] + "AAAAAAAAAAAAAAAAAAAA"}, "signature"},
		"a strange header":  {[]string{"Bearer " + s.forge(s.header().with("crit", []string{"x"}), s.claims())}, "header"},
		"no expiry":         {[]string{"Bearer " + s.forge(s.header(), s.claims().with("exp", nil))}, "claims"},
	} {
		_, err := s.keys.Verify(c.lines)
		if got := auth.Reason(err); err == nil || got != c.want {
			t.Errorf("%s: Reason(%v) = %q, want %q", name, err, got, c.want)
		}
	}
}
