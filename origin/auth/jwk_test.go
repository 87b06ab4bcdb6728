package auth

import "testing"

// FuzzKeySet: no body makes the reader of key sets panic, or take a key without an id.
func FuzzKeySet(f *testing.F) {
	f.Add(`{"keys":[{"kty":"RSA","kid":"a","n":"AQAB","e":"AQAB"}]}`)
	f.Add(`{"keys":[{"kty":"EC","crv":"P-256","kid":"a","x":"","y":""},1,null]}`)
	f.Fuzz(func(t *testing.T, body string) {
		keys, _ := parseKeySet([]byte(body))
		for name, key := range keys {
			if name.id == "" || key == nil {
				t.Errorf("parseKeySet(%q) holds %v", body, name)
			}
		}
	})
}
