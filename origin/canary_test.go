package origin_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"example.com/livery/origin"
	"example.com/livery/origin/operator"
	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
	"example.com/livery/storage/record"
)

// shows says in which spelling a text holds the secret, or "".
func shows(text, secret []byte) string {
	for spelling, s := range map[string][]byte{
		"raw": secret, "hexadecimal": []byte(hex.EncodeToString(secret)),
		"base64":    []byte(base64.RawStdEncoding.EncodeToString(secret)),
		"base64url": []byte(base64.RawURLEncoding.EncodeToString(secret)),
	} {
		if bytes.Contains(text, s) {
			return spelling
		}
	}
	return ""
}

// newOriginOnDisk starts an origin on a store in a directory.
func newOriginOnDisk(t *testing.T, dir, master string) *testOrigin {
	t.Helper()
	store, err := pebble.Open(dir, pebble.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return openTestOrigin(t, store, func(c *origin.Config) { c.Master, c.Registry = master, prometheus.NewRegistry() })
}

// leavings is what came out of a whole run with a signing secret.
type leavings struct {
	secret, seed []byte            // of the signing key and of the token key
	texts        map[string]string // answers, log and metrics
	feedAnswer   []byte            // the feed's answer to an edge with the token
}

// liveOnce runs an origin with a signed Theme from its first start to its end.
func liveOnce(t *testing.T, dir, master string) (l leavings) {
	t.Helper()
	h := newOriginOnDisk(t, dir, master)
	feed := "http://" + h.serve(h.origin.ServeFeed) + "/feed/v1"
	theme, call := h.theme("brand"), h.operator()
	if master == "" {
		return h.keyless(theme)
	}
	var key struct{ Secret string }
	if err := json.Unmarshal([]byte(call(200, "POST", "/themes/"+idOf(theme)+"/keys", "")), &key); err != nil {
		t.Fatal(err)
	}
	var err error
	if l.secret, err = base64.RawURLEncoding.DecodeString(key.Secret); err != nil {
		t.Fatal(err)
	}
	h.patch(theme, red)
	h.publish(theme)
	_, l.feedAnswer = edge{h, &feed}.ask("/themes/" + address(theme))
	_, stranger := edge{h, &feed}.askAs("Bearer wrong", "/themes/"+address(theme))
	l.texts = map[string]string{
		"audit":   call(200, "POST", "/audit/query", "{}"),
		"serving": call(200, "PUT", "/themes/"+idOf(theme)+"/serving", `{"mode":"signed"}`),
		"keys":    call(200, "GET", "/themes/"+idOf(theme)+"/keys", ""), "teams": call(200, "GET", "/teams", ""),
		"theme": h.want(200, "GET", theme, "").body, "themes": h.want(200, "GET", "/environments/"+h.sandbox+"/themes", "").body,
		"feed without the token": string(stranger),
	}
	metrics, err := h.config.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range metrics {
		l.texts["metrics"] += m.String()
	}
	l.seed = h.tokenSeed()
	h.end()
	l.texts["log"] = h.logs.String()
	if err := h.store.Close(); err != nil {
		t.Fatal(err)
	}
	return l
}

// keyless ends an origin without a master key, after it refused what would be stored in the open, and
// leaves a signed Theme as a release that did not refuse it would have.
func (h *testOrigin) keyless(theme string) (l leavings) {
	h.t.Helper()
	call := h.operator()
	for _, refused := range []string{call(400, "POST", "/themes/"+idOf(theme)+"/keys", ""), call(400, "PUT", "/themes/"+idOf(theme)+"/serving", `{"mode":"signed"}`)} {
		if !strings.Contains(refused, operator.Keyless) {
			h.t.Errorf("an origin without a master key says %s, want %q", refused, operator.Keyless)
		}
	}
	call(200, "PUT", "/themes/"+idOf(theme)+"/serving", `{"missingOrigin":"refuse"}`)
	h.operate(theme, operator.ServingUpdate{Mode: ptr("signed")})
	l.seed = h.tokenSeed()
	h.end()
	if err := h.store.Close(); err != nil {
		h.t.Fatal(err)
	}
	return l
}

// tokenSeed is the seed of the token key as it is stored.
func (h *testOrigin) tokenSeed() (seed []byte) {
	h.t.Helper()
	err := h.store.View(context.Background(), func(r storage.Reader) error {
		return storage.TokenKeys.Scan(r, storage.Ascending, func(_ []byte, k record.TokenKey) bool {
			seed = k.Seed
			return true
		})
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return seed
}

// filesThatShow are the files below a directory that hold the secret in any spelling.
func filesThatShow(t *testing.T, dir string, secret []byte) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if spelling := shows(content, secret); spelling != "" {
			found = append(found, filepath.Base(path)+" ("+spelling+")")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// A110 A112 A113: a signing secret is in no file, no log line, no metric, no entry of the audit log and no
// answer but the one that shows it once; edges with the token are told it. Without a master key the
// files show the seed of the token key, which is how this test knows that it looks well.
func TestASigningSecretIsNowhereInTheOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sealed := liveOnce(t, dir, strings.Repeat("master", 8))
	if found := filesThatShow(t, dir, sealed.secret); len(found) > 0 {
		t.Errorf("the secret stands in %v", found)
	}
	open := t.TempDir()
	plain := liveOnce(t, open, "")
	if len(filesThatShow(t, open, plain.seed)) == 0 {
		t.Error("the search does not find a secret that lies in the open")
	}
	if shows(sealed.feedAnswer, sealed.secret) == "" {
		t.Errorf("an edge gets %s, want the secret in it", sealed.feedAnswer)
	}
	for place, text := range sealed.texts {
		if spelling := shows([]byte(text), sealed.secret); spelling != "" {
			t.Errorf("%s holds %q, with the secret in %s", place, text, spelling)
		}
	}
	if len(plain.seed) != 32 || len(sealed.seed) <= 32 {
		t.Errorf("the stored seeds have %d and %d bytes, want 32 without a master key and more with one", len(plain.seed), len(sealed.seed))
	}
}

// A111: an origin does not start on a store with a signed Theme, or with sealed secrets, without the key.
func TestAnOriginWithoutTheMasterKeyRefusesToStart(t *testing.T) {
	t.Parallel()
	key := strings.Repeat("master", 8)
	for _, first := range []string{key, ""} {
		dir := t.TempDir()
		liveOnce(t, dir, first)
		store, err := pebble.Open(dir, pebble.Options{Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = store.Close() })
		config := origin.Config{Store: store, PublicURL: testPublicURL, CDNURL: testCDNURL, Guest: []byte(testModule), Logger: slog.New(slog.DiscardHandler)}
		if o, err := origin.New(context.Background(), config); !errors.Is(err, origin.ErrMasterKey) {
			t.Errorf("New() without the key = %v, %v, want ErrMasterKey", o, err)
		}
		config.Master = key
		o, err := origin.New(context.Background(), config)
		if err != nil {
			t.Fatal(err)
		}
		if err := o.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	}
}
