package stories

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/livery/internal/test/program"
	"example.com/livery/internal/test/race"
)

// grounds are a directory in which the real program runs.
type grounds struct {
	t     *testing.T
	dir   string
	env   []string
	heard map[string]string // what servers answered, by where
}

func newGrounds(t *testing.T) *grounds {
	t.Helper()
	dir, err := os.MkdirTemp("", "livery-") // short: it holds a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return &grounds{t: t, dir: dir, env: append(os.Environ(), "LIVERY_COMPILED="+program.Path(t, ".cache", "compiled")), heard: map[string]string{}}
}

func (g *grounds) path(name string) string { return filepath.Join(g.dir, name) }

func (g *grounds) write(name, content string) string {
	g.t.Helper()
	if err := os.WriteFile(g.path(name), []byte(content), 0o600); err != nil {
		g.t.Fatal(err)
	}
	return g.path(name)
}

// livery runs one command and returns what it prints.
func (g *grounds) livery(args ...string) string {
	g.t.Helper()
	cmd := exec.Command("livery", args...)
	cmd.Dir, cmd.Env = g.dir, g.env
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		g.t.Fatalf("livery %q: %v: %s", args, err, errOut.String())
	}
	return strings.TrimSpace(out.String())
}

// serve starts a server that logs everything, waits until it answers, and returns it with what it says of itself.
func (g *grounds) serve(kind string, args ...string) (*exec.Cmd, map[string]any) {
	g.t.Helper()
	data := g.path(kind)
	cmd := exec.Command("livery", append([]string{kind, "--data", data, "--log-level", "debug"}, args...)...)
	cmd.Dir, cmd.Env = g.dir, g.env
	log, err := os.Create(data + ".log")
	if err != nil {
		g.t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }) // in vain if the test ended it
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		text, err := os.ReadFile(filepath.Join(data, kind+".json"))
		if err != nil {
			continue
		}
		var said map[string]any
		if err := json.Unmarshal(text, &said); err != nil {
			g.t.Fatal(err)
		}
		return cmd, said
	}
	text, _ := os.ReadFile(data + ".log")
	g.t.Fatalf("livery %s does not answer: %s", kind, text)
	return nil, nil
}

// get asks and remembers the answer, head and body.
func (g *grounds) get(url string, lines ...string) int {
	g.t.Helper()
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		g.t.Fatal(err)
	}
	for i := 0; i < len(lines); i += 2 {
		req.Header.Set(lines[i], lines[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		g.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	var text bytes.Buffer
	if err := res.Header.Write(&text); err != nil {
		g.t.Fatal(err)
	}
	_, err = io.Copy(&text, res.Body)
	g.heard[url] = text.String()
	if err != nil {
		g.t.Fatal(err)
	}
	return res.StatusCode
}

// until asks until the status comes.
func (g *grounds) until(status int, url string, lines ...string) {
	g.t.Helper()
	for deadline := time.Now().Add(patience); g.get(url, lines...) != status; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			g.t.Fatalf("%s does not answer %d", url, status)
		}
	}
}

// whereSeen are the files below the grounds and the answers that hold the secret in any spelling.
func (g *grounds) whereSeen(secret []byte) (places []string) {
	g.t.Helper()
	spellings := [][]byte{
		secret, []byte(hex.EncodeToString(secret)), []byte(base64.StdEncoding.EncodeToString(secret)), []byte(base64.RawURLEncoding.EncodeToString(secret)),
	}
	look := func(place string, text []byte) {
		for _, s := range spellings {
			if bytes.Contains(text, s) {
				places = append(places, place)
				return
			}
		}
	}
	err := filepath.WalkDir(g.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(name)
		look(strings.TrimPrefix(name, g.dir+"/"), text)
		return err
	})
	if err != nil {
		g.t.Fatal(err)
	}
	for url, text := range g.heard {
		path, _, _ := strings.Cut(url, "?")
		look("the answer of "+path, []byte(text))
	}
	return places
}

const canaryTeams = `teams:
  - {slug: acme, plan: free, members: [owner], environments: [{slug: sandbox, displayName: S, kind: sandbox, cacheLifetime: 0, description: null, metadata: {}, grants: {owner: admin}}]}
`

// A110 A112 A113 A116: a whole run of the real programs, with a signed Theme, everything logged, and an end by a
// crash: a signing secret, an access token, a signature, the feed token and the master key are in no file of the
// origin and the edge except in their places, in no log, no metric, no profile and no answer.
func TestSecretsAreNowhereAfterAWholeRun(t *testing.T) {
	race.Skip(t)
	g := newGrounds(t)
	g.env = append(g.env, "GOTRACEBACK=crash") // who runs it so must not get the memory of the process either
	master := "master-key-canary-" + strings.Repeat("x", 32)
	own := g.write("given.master-key", master)
	origin, said := g.serve("origin", "--listen", "127.0.0.1:0", "--feed-listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0", "--cdn-url", "http://cdn.example", "--master-key-file", own)
	originURL, feedURL, originOps := said["originURL"].(string), said["feedURL"].(string), said["opsURL"].(string)
	edge, said := g.serve("edge", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0", "--upstream", feedURL, "--upstream-token-file", g.path("origin/feed-token"))
	edgeURL, edgeOps := said["edgeURL"].(string), said["opsURL"].(string)

	g.livery("teams", "apply", g.write("teams.yaml", canaryTeams), "--data", "origin")
	token := g.livery("token", "--subject", "owner", "--data", "origin")
	g.env = append(g.env, "LIVERY_URL="+originURL, "LIVERY_TOKEN="+token)
	g.livery("push", g.write("theme.json", `{"a": {"$type": "color", "$value": "#0055ff"}}`), "--env", "sandbox", "--theme", "acme", "--create", "--integration", "react/plainCSS", "--publish")
	address := g.livery("open", "--env", "sandbox", "--theme", "acme", "--print")
	path := strings.TrimPrefix(address, "http://cdn.example")
	theme := strings.Split(path, "/")[2]
	var key struct{ KeyID, Secret string }
	if err := json.Unmarshal([]byte(g.livery("keys", "add", theme, "--data", "origin", "--json")), &key); err != nil {
		t.Fatal(err)
	}
	g.livery("serving", "set", theme, "--mode", "signed", "--data", "origin")
	given := g.write("given.secret", key.Secret)
	signed := g.livery("sign", edgeURL+path, "--key-id", key.KeyID, "--secret-file", given)
	signature := signed[strings.LastIndex(signed, "Signature=")+len("Signature="):]
	g.until(403, edgeURL+path)
	g.until(200, signed, "Cookie", "session="+token, "Authorization", "Bearer "+token)
	g.get(edgeURL+path+"?Signature="+signature, "Authorization", "Bearer "+token)
	g.get(originURL+"/public/v1/environments?token="+signature, "Authorization", "Bearer "+token)
	g.get(originURL+"/public/v1/environments", "Authorization", "Bearer "+token+"x")
	g.get(feedURL+"/feed/v1/modules", "Authorization", "Bearer wrong")
	code := strings.TrimPrefix(g.livery("console", "--subject", "owner", "--data", "origin"), originURL+"/console/#login=")
	unused := strings.TrimPrefix(g.livery("console", "--subject", "owner", "--data", "origin"), originURL+"/console/#login=")
	g.logIn(originURL, `{"token":"`+token+`"}`)
	cookie := g.logIn(originURL, `{"code":"`+code+`"}`)
	if status := g.get(originURL+"/public/v1/me", "X-Livery-Console", "1", "Cookie", cookie); status != 200 {
		t.Fatalf("a session at the console = %d", status)
	}
	g.get(originURL+"/public/v1/me?session="+cookie, "Cookie", cookie)
	g.get(originURL+"/console/session", "X-Livery-Console", "1", "Cookie", cookie)
	g.write("audit.json", g.livery("audit", "--data", "origin", "--json"))
	g.livery("store", "backup", "origin", "--to", "backups")
	for _, ops := range []string{originOps, edgeOps} {
		for _, page := range []string{"/metrics", "/debug/pprof/heap?debug=1", "/debug/pprof/goroutine?debug=2", "/debug/pprof/cmdline", "/readyz"} {
			g.get(ops + page)
		}
	}
	g.crash(origin)
	g.crash(edge)

	secret, err := base64.RawURLEncoding.DecodeString(key.Secret)
	if err != nil {
		t.Fatal(err)
	}
	feedToken, err := os.ReadFile(g.path("origin/feed-token"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		secret []byte
		only   string // the one file that may hold it
	}{
		"the signing secret": {secret, "given.secret"},
		"the access token":   {[]byte(token), ""},
		"a signature":        {[]byte(signature), ""},
		"the master key":     {[]byte(master), "given.master-key"},
		"the code of a link": {[]byte(code), ""},
		"an unused code":     {[]byte(unused), ""},
		"a session":          {[]byte(strings.TrimPrefix(cookie, "livery_session=")), sessionAnswer},
		"the feed token":     {bytes.TrimSpace(feedToken), "origin/feed-token"},
	} {
		places := g.whereSeen(c.secret)
		if c.only != "" && len(places) == 0 {
			t.Errorf("the search for %s does not even find %s", name, c.only)
		}
		for _, place := range places {
			if place != c.only {
				t.Errorf("%s is in %s", name, place)
			}
		}
	}
}

// sessionAnswer is the place where a session is shown to its browser.
const sessionAnswer = "the answer of POST /console/session"

// logIn begins a session at the console, remembers the answer and returns its cookie.
func (g *grounds) logIn(origin, body string) string {
	g.t.Helper()
	req, err := http.NewRequest(http.MethodPost, origin+"/console/session", strings.NewReader(body))
	if err != nil {
		g.t.Fatal(err)
	}
	req.Header.Set("X-Livery-Console", "1")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		g.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusNoContent || len(res.Cookies()) != 1 {
		g.t.Fatalf("POST /console/session = %v %d %s", err, res.StatusCode, text)
	}
	g.heard["POST /console/session"] = res.Header.Get("Set-Cookie") + string(text)
	return res.Cookies()[0].Name + "=" + res.Cookies()[0].Value
}

// crash ends a server as a fault of the runtime would, and wants no core of it anywhere (A116).
func (g *grounds) crash(server *exec.Cmd) {
	g.t.Helper()
	if runtime.GOOS == "linux" {
		limits, err := os.ReadFile("/proc/" + strconv.Itoa(server.Process.Pid) + "/limits")
		if err != nil {
			g.t.Fatal(err)
		}
		for line := range strings.Lines(string(limits)) {
			if rest, ok := strings.CutPrefix(line, "Max core file size"); ok && strings.Join(strings.Fields(rest), " ") != "0 0 bytes" {
				g.t.Errorf("A116: the limit of a core is %s", rest)
			}
		}
	}
	if err := server.Process.Signal(syscall.SIGABRT); err != nil {
		g.t.Fatal(err)
	}
	_ = server.Wait()
	cores, err := filepath.Glob(g.path("*core*"))
	if err != nil || len(cores) > 0 {
		g.t.Errorf("A116: the crash left %v, %v", cores, err)
	}
}
