package policy

import (
	"encoding/base64"
	"net/netip"
	"strings"
	"testing"
	"time"

	"example.com/livery/storage/record"
)

func TestOriginsAreComparedNormalisedAndExactly(t *testing.T) { // A81
	for _, tt := range []struct {
		entry, origin string
		want          bool
	}{
		{"https://good.example", "https://good.example", true},
		{"https://good.example", "https://GOOD.example", true},
		{"HTTPS://Good.Example", "https://good.example", true},
		{"https://good.example", "https://good.example:443", true},
		{"http://good.example:80", "http://good.example", true},
		{"https://good.example:8443", "https://good.example:8443", true},
		{"http://[::1]:8080", "http://[::1]:8080", true},
		{"https://xn--bcher-kva.example", "https://xn--bcher-kva.example", true},
		{"https://*.good.example", "https://a.good.example", true},
		{"https://*.good.example", "https://a.b.good.example", true},
		{"https://*.good.example:8443", "https://a.good.example:8443", true},

		{"https://good.example", "http://good.example", false},
		{"https://good.example", "https://good.example:80", false},
		{"https://good.example", "https://good.example:8443", false},
		{"https://good.example", "https://good.example.", false},
		{"https://good.example", "https://good.example.evil", false},
		{"https://good.example", "https://evilgood.example", false},
		{"https://good.example", "https://a.good.example", false},
		{"https://good.example", "https://good.example/", false},
		{"https://good.example", "https://evil@good.example", false},
		{"https://good.example", "https://good.example evil", false},
		{"https://good.example", "good.example", false},
		{"https://good.example", "", false},
		{"https://bücher.example", "https://bücher.example", false},
		{"https://*.good.example", "https://good.example", false},
		{"https://*.good.example", "https://.good.example", false},
		{"https://*.good.example", "https://a..good.example", false},
		{"https://*.good.example", "https://evilgood.example", false},
		{"https://*.good.example", "https://a.good.example:8443", false},
		{"https://*.good.example", "http://a.good.example", false},
		{"https://*", "https://good.example", false},
		{"*", "https://good.example", false},
		{"null", "null", false},
		{"https://", "https://", false},
	} {
		rules := Compile(record.Serving{AllowedOrigins: []string{tt.entry}, MissingOrigin: "allow"})
		got := rules.Decide(&Request{Origins: [][]byte{[]byte(tt.origin)}})
		if got.Allowed != tt.want {
			t.Errorf("list %q, Origin %q: allowed = %t, want %t", tt.entry, tt.origin, got.Allowed, tt.want)
		}
		if tt.want && string(got.AllowOrigin) != tt.origin {
			t.Errorf("list %q, Origin %q: echo %q, want the header's value", tt.entry, tt.origin, got.AllowOrigin)
		}
	}
}

func TestRequestNamesItsOrigin(t *testing.T) { // A82, S61, S62, decisions 7.5
	one := func(s string) [][]byte { return [][]byte{[]byte(s)} }
	const good, bad = "https://good.example", "https://evil.example"
	for _, tt := range []struct {
		name string
		req  Request
		want string // of missingOrigin allowNonBrowsers, refuse, allow: "y" or "n" each
	}{
		{"nothing at all", Request{}, "yny"},
		{"a program", Request{UserAgent: []byte("curl/8")}, "yny"},
		{"a browser by its user agent", Request{UserAgent: []byte("Mozilla/5.0")}, "nny"},
		{"a browser by Sec-Fetch-Site", Request{SecFetchSite: []byte("cross-site")}, "nny"},
		{"a browser by Sec-Fetch-Dest", Request{SecFetchDest: []byte("style")}, "nny"},
		{"a browser by Sec-CH-UA", Request{SecCHUA: []byte(`"Chromium"`)}, "nny"},
		{"allowed Origin", Request{Origins: one(good)}, "yyy"},
		{"other Origin", Request{Origins: one(bad)}, "nnn"},
		{"Origin null", Request{Origins: one("null")}, "nnn"},
		{"empty Origin", Request{Origins: one("")}, "nnn"},
		{"two Origins", Request{Origins: append(one(good), one(good)...)}, "nnn"},
		{"Origin goes before Referer", Request{Origins: one(bad), Referers: [][]byte{[]byte(good + "/page")}}, "nnn"},
		{"allowed Referer", Request{Referers: [][]byte{[]byte(good + "/page?x#y")}, UserAgent: []byte("Mozilla/5.0")}, "yyy"},
		{"two Referers", Request{Referers: append(one(good), one(good)...)}, "nnn"},
		{"two Referers beside an allowed Origin", Request{Origins: one(good), Referers: append(one(good), one(good)...)}, "nnn"},
		{"Referer without a path", Request{Referers: [][]byte{[]byte(good)}}, "yyy"},
		{"other Referer", Request{Referers: [][]byte{[]byte(bad + "/" + good)}}, "nnn"},
		{"Referer with the origin as user", Request{Referers: [][]byte{[]byte(good + "@evil.example/")}}, "nnn"},
		{"Referer of another kind", Request{Referers: [][]byte{[]byte("android-app://good.example/")}}, "nnn"},
		{"Referer that is not an address", Request{Referers: [][]byte{[]byte("about:blank")}}, "yny"},
		{"same-origin at an allowed host", Request{SecFetchSite: []byte("same-origin"), Host: []byte("good.example")}, "yyy"},
		{"same-origin at another host", Request{SecFetchSite: []byte("same-origin"), Host: []byte("edge.example")}, "nnn"},
		{"same-origin goes before Referer", Request{SecFetchSite: []byte("same-origin"), Host: []byte("edge.example"), Referers: [][]byte{[]byte(good + "/")}}, "nnn"},
	} {
		for i, missing := range []string{"allowNonBrowsers", "refuse", "allow"} {
			rules := Compile(record.Serving{AllowedOrigins: []string{good}, MissingOrigin: missing})
			d := rules.Decide(&tt.req)
			if d.Allowed != (tt.want[i] == 'y') {
				t.Errorf("%s under %s: allowed = %t", tt.name, missing, d.Allowed)
			}
			if !d.Allowed && d.Reason != "origin" {
				t.Errorf("%s under %s: reason = %q", tt.name, missing, d.Reason)
			}
		}
		open := Compile(record.Serving{MissingOrigin: "refuse"})
		if !open.Decide(&tt.req).Allowed {
			t.Errorf("%s: refused without a list (S60, S63)", tt.name)
		}
	}
}

func TestUnknownMissingOriginRefuses(t *testing.T) {
	rules := Compile(record.Serving{AllowedOrigins: []string{"https://good.example"}, MissingOrigin: "whatever"})
	if rules.Decide(&Request{}).Allowed {
		t.Error("an unknown missingOrigin allows requests that name no origin")
	}
}

func TestAddressRanges(t *testing.T) { // S64, A83
	for _, tt := range []struct {
		ranges []string
		client string
		want   bool
	}{
		{[]string{"10.0.0.0/8"}, "10.1.2.3", true},
		{[]string{"10.0.0.0/8"}, "::ffff:10.1.2.3", true},
		{[]string{"::ffff:10.0.0.0/104"}, "10.1.2.3", true},
		{[]string{"10.1.2.3"}, "10.1.2.3", true},
		{[]string{"10.9.9.9/8"}, "10.1.2.3", true},
		{[]string{"2001:db8::/32"}, "2001:db8::1", true},
		{[]string{"192.0.2.0/24", "10.0.0.0/8"}, "10.1.2.3", true},
		{[]string{"10.0.0.0/8"}, "11.0.0.1", false},
		{[]string{"10.0.0.0/8"}, "2001:db8::1", false},
		{[]string{"::/0"}, "10.1.2.3", false},
		{[]string{"nonsense"}, "10.1.2.3", false},
		{[]string{""}, "10.1.2.3", false},
		{[]string{"10.0.0.0/8"}, "", false},
		{nil, "10.1.2.3", true},
	} {
		var client netip.Addr
		if tt.client != "" {
			client = netip.MustParseAddr(tt.client)
		}
		d := Compile(record.Serving{AllowedIPRanges: tt.ranges}).Decide(&Request{Client: client})
		if d.Allowed != tt.want {
			t.Errorf("ranges %q, client %q: allowed = %t, want %t", tt.ranges, tt.client, d.Allowed, tt.want)
		}
	}
}

var (
	now    = time.Unix(1_800_000_000, 0)
	first  = record.SigningKey{ID: "key_1", Secret: []byte("the first secret of this theme..")}
	second = record.SigningKey{ID: "key_2", Secret: []byte("the other secret of this theme..")}
)

const signedPath = "/env_a/thm_b/-/3/tokens.css"

func signed() *Rules {
	return Compile(record.Serving{Mode: "signed", SigningKeys: []record.SigningKey{first, second}})
}

func TestSignedAddresses(t *testing.T) { // A86, S58, decisions 7.7
	expires := now.Add(time.Hour)
	good := Sign(signedPath, expires, first)
	folder := SignFolder("/env_a/thm_b/", expires, second)
	unknown := record.SigningKey{ID: "key_3", Secret: first.Secret}
	for _, tt := range []struct {
		name, path, query string
		want              bool
	}{
		{"signed", signedPath, good, true},
		{"any active key", signedPath, Sign(signedPath, expires, second), true},
		{"with padding", signedPath, good + "=", true},
		{"a folder", signedPath, folder, true},
		{"another file of the folder", "/env_a/thm_b/var_c/latest/tokens.json", folder, true},
		{"expired within the skew", signedPath, Sign(signedPath, now.Add(-60*time.Second), first), true},

		{"nothing", signedPath, "", false},
		{"expired", signedPath, Sign(signedPath, now.Add(-61*time.Second), first), false},
		{"another Environment", "/env_x/thm_b/-/3/tokens.css", good, false},
		{"another Theme", "/env_a/thm_x/-/3/tokens.css", good, false},
		{"a Variant", "/env_a/thm_b/var_c/3/tokens.css", good, false},
		{"another version", "/env_a/thm_b/-/4/tokens.css", good, false},
		{"another file", "/env_a/thm_b/-/3/tokens.json", good, false},
		{"outside the folder", "/env_a/thm_x/-/3/tokens.css", folder, false},
		{"a later expiry", signedPath, strings.Replace(good, "Expires=18", "Expires=19", 1), false},
		{"another key's name", signedPath, strings.Replace(good, "key_1", "key_2", 1), false},
		{"an unknown key", signedPath, Sign(signedPath, expires, unknown), false},
		{"a changed signature", signedPath, good[:len(good)-2] + "AA", false},
		{"a cut signature", signedPath, good[:len(good)-4], false},
		{"no signature", signedPath, good[:strings.Index(good, "&Signature")], false},
		{"an unknown parameter before", signedPath, "x=1&" + good, false},
		{"an unknown parameter after", signedPath, good + "&x=1", false},
		{"a trailing ampersand", signedPath, good + "&", false},
		{"a doubled ampersand", signedPath, strings.Replace(good, "&", "&&", 1), false},
		{"a duplicate", signedPath, good + "&" + good, false},
		{"out of order", signedPath, reorder(good), false},
		{"other case", signedPath, strings.Replace(good, "Expires", "expires", 1), false},
		{"a leading zero", signedPath, strings.Replace(good, "Expires=", "Expires=0", 1), false},
		{"a folder's signature without its folder", signedPath, folder[strings.Index(folder, "&")+1:], false},
		{"a folder that is not a folder", signedPath, strings.Replace(folder, "URLPrefix="+encode("/env_a/thm_b/"), "URLPrefix="+encode("/env_a/thm_b"), 1), false},
	} {
		d := signed().Decide(&Request{Path: []byte(tt.path), Query: []byte(tt.query), Now: now})
		if d.Allowed != tt.want {
			t.Errorf("%s: allowed = %t, want %t (query %s)", tt.name, d.Allowed, tt.want, tt.query)
		}
		if !d.Allowed && d.Reason != "signature" {
			t.Errorf("%s: reason = %q", tt.name, d.Reason)
		}
	}
	if d := signed().Decide(&Request{Path: []byte(signedPath), Query: []byte(good), Now: now}); !d.Expires.Equal(expires) {
		t.Errorf("Expires = %v, want %v", d.Expires, expires)
	}
}

// A folder that does not end at a slash would sign its neighbours too.
func TestFolderMustEndAtASlash(t *testing.T) {
	query := SignFolder("/env_a/thm_b", now.Add(time.Hour), first)
	if signed().Decide(&Request{Path: []byte("/env_a/thm_bystander/-/1/tokens.css"), Query: []byte(query), Now: now}).Allowed {
		t.Error("a folder without a slash at its end signs the address beside it")
	}
}

func TestKeyWithoutSecretVerifiesNothing(t *testing.T) {
	bare := record.SigningKey{ID: "key_1"}
	rules := Compile(record.Serving{Mode: "signed", SigningKeys: []record.SigningKey{bare}})
	if rules.HasKeys() || rules.Decide(&Request{Path: []byte(signedPath), Query: []byte(Sign(signedPath, now.Add(time.Hour), bare)), Now: now}).Allowed {
		t.Error("a key without its secret verifies signatures of the empty secret")
	}
}

// The first check that fails answers: address, signature, origin (decisions 7.1).
func TestChecksKeepTheirOrder(t *testing.T) {
	rules := Compile(record.Serving{
		Mode: "signed", SigningKeys: []record.SigningKey{first}, AllowedIPRanges: []string{"10.0.0.0/8"},
		AllowedOrigins: []string{"https://good.example"}, MissingOrigin: "refuse",
	})
	req := Request{Path: []byte(signedPath), Now: now}
	for _, step := range []struct {
		reason string
		mend   func()
	}{
		{"ip", func() { req.Client = netip.MustParseAddr("10.0.0.1") }},
		{"signature", func() { req.Query = []byte(Sign(signedPath, now.Add(time.Hour), first)) }},
		{"origin", func() { req.Origins = [][]byte{[]byte("https://good.example")} }},
	} {
		if d := rules.Decide(&req); d.Allowed || d.Reason != step.reason {
			t.Errorf("decision = %+v, want a refusal for %q", d, step.reason)
		}
		step.mend()
	}
	if d := rules.Decide(&req); !d.Allowed || !rules.Private() || !rules.Signed() || !rules.ChecksClient() || !rules.ChecksOrigin() {
		t.Errorf("decision = %+v, want it allowed", d)
	}
}

func TestSettingsWithoutChecksArePublic(t *testing.T) {
	rules := Compile(record.Serving{Mode: "public", MissingOrigin: "refuse"})
	if rules.Private() || !rules.Decide(&Request{}).Allowed {
		t.Error("a public Theme without lists asks something of a request")
	}
}

func reorder(query string) string {
	parts := strings.Split(query, "&")
	return parts[1] + "&" + parts[0] + "&" + parts[2]
}

func encode(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }

// Origins that browsers send as the list spells them cost no allocation.
func TestCommonDecisionsDoNotAllocate(t *testing.T) {
	rules := Compile(record.Serving{AllowedOrigins: []string{"https://good.example"}, AllowedIPRanges: []string{"10.0.0.0/8"}, MissingOrigin: "allowNonBrowsers"})
	req := Request{Client: netip.MustParseAddr("10.0.0.1"), Origins: [][]byte{[]byte("https://good.example")}}
	if n := testing.AllocsPerRun(100, func() { rules.Decide(&req) }); n != 0 {
		t.Errorf("Decide allocates %v times", n)
	}
}
