package events_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"example.com/livery/origin"
	"example.com/livery/origin/auth"
	"example.com/livery/origin/events"
	"example.com/livery/origin/operator"
	"example.com/livery/renderer"
	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
	"example.com/livery/storage/record"
	"example.com/livery/wasm/abi"
)

// killVariable makes the test binary a child process that publishes until it is killed; its value is the directory.
const killVariable = "LIVERY_TEST_EVENTS_KILL"

// hookVariable is the address of the webhook of a child process.
const hookVariable = "LIVERY_TEST_EVENTS_HOOK"

// killRoundsVariable sets the number of rounds.
const killRoundsVariable = "LIVERY_EVENTS_KILL_ROUNDS"

const (
	module   = "\x00asm of the test"
	patience = 5 * time.Minute
	writers  = 4
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(killVariable); dir != "" {
		fmt.Println(runVictim(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// Whenever an origin is killed, the store has one event of each version, and no event of a version that it lacks; and the
// event of every publish that was answered. In the end a webhook was sent every event, and nothing that is not one.
func TestAKillNeitherLosesNorInventsAnEvent(t *testing.T) {
	t.Parallel()
	rounds := 2
	if n, err := strconv.Atoi(os.Getenv(killRoundsVariable)); err == nil {
		rounds = n
	}
	dir, count := t.TempDir(), 0
	hook := newReceiver(t)
	for round := range rounds {
		answered := killOne(t, dir, hook.url, time.Duration(round%20)*3*time.Millisecond)
		count += len(answered)
		wantOneEventOfEach(t, dir, answered)
	}
	before := hook.count()
	sent, again := hook.wantEveryEvent(t, dir)
	t.Logf("%d publishes were answered in %d rounds, and %d events sent, %d of them before the last kill and %d more than once", count, rounds, sent, before, again)
}

// killOne lets a child publish, kills it a moment after its first answers, and returns the versions that it was answered.
func killOne(t *testing.T, dir, hook string, after time.Duration) map[string]bool {
	t.Helper()
	answered := map[string]bool{}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), killVariable+"="+dir, hookVariable+"="+hook)
	out, err := cmd.StdoutPipe()
	if err := errors.Join(err, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	lines, seen := bufio.NewScanner(out), 0
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) != 3 || words[0] != "published" {
			t.Fatalf("the child said %q", lines.Text())
		}
		answered[words[1]+" "+words[2]] = true
		if seen++; seen == 2*writers {
			time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
		}
	}
	if err := cmd.Wait(); err == nil || ctx.Err() != nil {
		t.Fatalf("the child was not killed: %v", err)
	}
	return answered
}

// wantOneEventOfEach compares the versions of every Theme with the events of publishes. It takes from answered what is there.
func wantOneEventOfEach(t *testing.T, dir string, answered map[string]bool) {
	t.Helper()
	store, err := open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	told := map[string]int{}
	last := uint32(0)
	err = store.View(context.Background(), func(r storage.Reader) error {
		err := storage.Events.Scan(r, storage.Ascending, func(_ []byte, e record.Event) bool {
			if last++; e.Number != last {
				t.Errorf("event %d stands where %d is due", e.Number, last)
			}
			if e.Kind == events.ThemePublished {
				told[fmt.Sprintf("%s %d", e.ThemeID, e.Version)]++
			}
			return true
		})
		return errors.Join(err, storage.Themes.Scan(r, storage.Ascending, func(_ []byte, theme record.Theme) bool {
			for n := range theme.LatestVersion {
				version := fmt.Sprintf("%s %d", theme.ID, n+1)
				if told[version] != 1 {
					t.Errorf("version %s has %d events, want 1", version, told[version])
				}
				delete(told, version)
				delete(answered, version)
			}
			return true
		}))
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(told) > 0 {
		t.Errorf("events of versions that do not exist: %v", told)
	}
	for version := range answered {
		t.Errorf("version %s was answered and is not there", version)
	}
}

func open(dir string) (storage.Store, error) {
	return pebble.Open(dir, pebble.Options{Logger: slog.New(slog.DiscardHandler), MinFreeBytes: -1})
}

// runVictim serves an origin over the store in dir, publishes until it is killed, and says each answer in one write. It
// returns why it could not.
func runVictim(dir string) error {
	ctx := context.Background()
	store, err := open(dir)
	if err != nil {
		return err
	}
	file := operator.TeamsFile{Teams: []operator.TeamEntry{{Slug: "acme", Plan: record.Free, Members: []string{"ada"}, Environments: []operator.EnvironmentEntry{
		{Slug: "sandbox", DisplayName: "S", Kind: "sandbox", Grants: map[string]record.Role{"ada": record.Admin}},
	}}}}
	if _, err := operator.Apply(ctx, store, file, false, time.Now()); err != nil {
		return err
	}
	m := record.Module{Digest: record.HashOf([]byte(module)), CoreVersion: renderer.Version, ABIVersion: abi.Version, Size: len(module), RegisteredAt: time.Now()}
	_, err = store.Update(ctx, storage.Global, func(tx storage.Tx) (record.Change, error) {
		return record.Change{At: m.RegisteredAt}, storage.Modules.Write(tx, m, string(m.Digest))
	})
	if err != nil {
		return err
	}
	o, err := serve(ctx, store, time.Now)
	if err != nil {
		return err
	}
	token, _, err := o.Keys().Issue(auth.Order{Subject: "ada", TTL: time.Hour})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go func() { _ = o.ServePublic(listener) }()
	v := victim{"http://" + listener.Addr().String() + "/public/v1/environments", token}
	return v.publishAll()
}

// serve returns an origin over the store, whose webhooks may be sent to this machine.
func serve(ctx context.Context, store storage.Store, now func() time.Time) (*origin.Origin, error) {
	return origin.New(ctx, origin.Config{
		Store: store, PublicURL: "https://a.example", CDNURL: "https://b.example", Guest: []byte(module), Logger: slog.New(slog.DiscardHandler), Now: now,
		Master: "a master key of the tests that is long enough", WebhookNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	})
}

// victim is a client of the origin that will be killed.
type victim struct{ base, token string }

// publishAll publishes Themes of its own until a request fails.
func (v victim) publishAll() error {
	var environments struct{ Items []struct{ ID string } }
	if err := v.call("GET", "", "", &environments); err != nil {
		return err
	}
	themes, hooks := "/"+environments.Items[0].ID+"/themes", "/"+environments.Items[0].ID+"/webhooks"
	var made struct{ Items []struct{} }
	if err := v.call("GET", hooks, "", &made); err != nil {
		return err
	}
	if len(made.Items) == 0 {
		if err := v.call("POST", hooks, fmt.Sprintf(`{"url":%q}`, os.Getenv(hookVariable)), &struct{}{}); err != nil {
			return err
		}
	}
	failed := make([]error, writers)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() { failed[w] = v.publishOne(themes, "t"+strings.ToLower(rand.Text())) })
	}
	wg.Wait()
	return errors.Join(failed...)
}

func (v victim) publishOne(themes, slug string) error {
	var created struct{ Resource struct{ ID string } }
	if err := v.call("POST", themes, fmt.Sprintf(`{"slug":%q,"displayName":"T"}`, slug), &created); err != nil {
		return err
	}
	tokens := themes + "/" + created.Resource.ID + "/tokens"
	for n := 1; ; n++ {
		var edited, published struct{ LatestVersion uint32 }
		err := v.call("PATCH", tokens, fmt.Sprintf(`{"operations":[{"operation":"add","path":"/n","value":{"$type":"number","$value":%d}}]}`, n), &edited)
		if err == nil {
			err = v.call("POST", tokens+"/publish", "", &published)
		}
		if err != nil {
			return err
		}
		fmt.Println("published", created.Resource.ID, published.LatestVersion)
	}
}

func (v victim) call(method, path, body string, into any) error {
	request, err := http.NewRequest(method, v.base+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+v.token)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %d %s", method, path, answer.StatusCode, text)
	}
	if err == nil {
		err = json.Unmarshal(text, into, json.MatchCaseInsensitiveNames(true))
	}
	return err
}
