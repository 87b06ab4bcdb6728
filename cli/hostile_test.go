package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"example.com/livery/cli/account"
	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/localfile"
)

// hostileFiles are the files that commands open in a working directory without being told their names, each with content of an
// attacker. EVIL stands for an address that the attacker listens on, OUTSIDE for a directory beside the working directory.
var hostileFiles = map[string]string{
	".livery/dev.json":            `{"originURL":"EVIL","apiURL":"EVIL/public/v1","edgeURL":"EVIL","opsURL":"EVIL","token":"evil-token","operatorSocket":"OUTSIDE/operator.sock"}`,
	".livery/edge.json":           `{"edgeURL":"EVIL","settings":[{"name":"upstream","value":"EVIL"}]}`,
	".livery/origin.json":         `{"originURL":"EVIL","feedURL":"EVIL","operatorSocket":"OUTSIDE/operator.sock"}`,
	".livery/lock":                ``,
	".livery/operator.sock":       `EVIL`,
	".livery/store.sock":          `EVIL`,
	".livery/feed-token":          `evil`,
	".livery/master-key":          `evil`,
	".livery/authorization":       `Authorization: Bearer evil`,
	".livery/localhost.pem":       `evil`,
	".livery/localhost.key":       `evil`,
	".livery/first-start-done":    ``,
	".gitignore":                  "!.livery\n",
	".git":                        "gitdir: OUTSIDE\n",
	"livery.yaml":                 "files: [tokens, '-']\ntheme: web\nenvironment: production\nvariants: {dark: {files: [tokens/a.json]}}\n",
	"tokens/$metadata.json":       `{"tokenSetOrder":["../../outside/secret","a"]}`,
	"tokens/$themes.json":         `[{"name":"x","selectedTokenSets":{"../../outside/secret":"enabled"}}]`,
	"tokens/a.json":               `{"a":{"$type":"number","$value":1}}`,
	"tokens/package.json":         `{"name":"x","style":"../../outside/secret.json"}`,
	"tokens/r.resolver.json":      `{"version":"2025.10","sets":{"x":{"sources":[{"$ref":"../../outside/secret.json"}]}},"resolutionOrder":[{"$ref":"#/sets/x"}]}`,
	"node_modules/x/package.json": `{"name":"x"}`,
	"package.json":                `{"livery":{"url":"EVIL"}}`,
	".env":                        "LIVERY_URL=EVIL\nLIVERY_TOKEN=evil\n",
	"credentials.json":            `{"origin":"EVIL","tokens":{"EVIL":"evil"}}`,
}

// otherNames are file names in the source that no command opens in a working directory unless a person names the file.
var otherNames = []string{
	".credentials.lock", "livery", // beside the stored login
	"store", "parts", "edge", "compiled", "held", // in a data directory that a server has locked
	".tokens.json", ".variant.json", // of the sample, which is built in
	"index.html",                // of docs --out
	"before.json", "theme.json", // in a directory of livery ci
	"..",
}

// fileName matches a string literal that is the whole name of a file.
var fileName = regexp.MustCompile(`^[.$]?[A-Za-z0-9_-]+\.(jsonc?|json5|ya?ml|toml|sock|env|lock|pem|key|css|html|js)$|^\.(livery|env|git|gitignore|npmrc|netrc)$`)

// TestHostileFilesAreComplete finds the names of files in the source of this room: string literals that look like one, and those
// that end a path. A name that commands open in a working directory belongs into hostileFiles.
func TestHostileFilesAreComplete(t *testing.T) {
	known := slices.Clone(otherNames)
	for name := range hostileFiles {
		known = append(known, strings.Split(name, "/")...)
	}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		note := func(e ast.Expr, isName func(string) bool) {
			if literal, ok := e.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				if name, err := strconv.Unquote(literal.Value); err == nil && isName(name) && !slices.Contains(known, name) {
					t.Errorf("%s names the file %q: write a hostile one into hostileFiles, or list it in otherNames", path, name)
				}
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if callee, ok := n.Fun.(*ast.SelectorExpr); ok && callee.Sel.Name == "Join" && len(n.Args) > 1 {
					if of, ok := callee.X.(*ast.Ident); ok && of.Name == "filepath" {
						note(n.Args[len(n.Args)-1], func(string) bool { return true })
					}
				}
			case *ast.BasicLit:
				note(n, fileName.MatchString)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// recorder is a server that answers 404 and keeps what it was sent.
type recorder struct {
	*httptest.Server
	mu  sync.Mutex
	got []string
}

func newRecorder(t *testing.T) *recorder {
	r := &recorder{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		var body bytes.Buffer
		_, _ = body.ReadFrom(req.Body)
		r.mu.Lock()
		r.got = append(r.got, fmt.Sprint(req.Method, " ", req.URL, " ", req.Header.Get("Authorization"), " ", &body))
		r.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"cause":"notFound","messages":[]}`))
	}))
	t.Cleanup(r.Close)
	return r
}

// take returns what was sent since the last call.
func (r *recorder) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	got := r.got
	r.got = nil
	return got
}

// hostilePlace is a working directory full of hostile files, and a directory beside it that none of them may reach.
type hostilePlace struct {
	work, outside string
	evil, own     *recorder     // the attacker's server, and the origin of the stored login
	dialled       chan struct{} // has an item if somebody dialled the socket outside
}

func newHostilePlace(t *testing.T) *hostilePlace {
	t.Helper()
	dir, err := os.MkdirTemp("", "livery-") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	p := &hostilePlace{
		work: filepath.Join(dir, "work"), outside: filepath.Join(dir, "outside"),
		evil: newRecorder(t), own: newRecorder(t), dialled: make(chan struct{}, 1),
	}
	if err := errors.Join(os.Mkdir(p.work, 0o755), os.Mkdir(p.outside, 0o755)); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(p.outside, "operator.sock"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
			select {
			case p.dialled <- struct{}{}:
			default:
			}
		}
	}()
	credentials := filepath.Join(dir, "credentials.json")
	stored, _ := json.Marshal(map[string]any{"origin": p.own.URL, "tokens": map[string]string{p.own.URL: "stored-token"}})
	p.write(t, credentials, stored)
	p.write(t, filepath.Join(p.outside, "secret.json"), []byte(`{"secret":{"$type":"string","$value":"outside-secret"}}`))
	t.Chdir(p.work)
	t.Setenv("LIVERY_CREDENTIALS", credentials)
	t.Setenv("PATH", "") // no browser starts
	t.Setenv("CI", "true")
	return p
}

func (p *hostilePlace) write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, content, 0o600)); err != nil {
		t.Fatal(err)
	}
}

// fill writes the hostile files; linked ones lie outside, and the working directory has links to them.
func (p *hostilePlace) fill(t *testing.T, linked bool) {
	t.Helper()
	for name, text := range hostileFiles {
		text = strings.NewReplacer("EVIL", p.evil.URL, "OUTSIDE", p.outside).Replace(text)
		path := filepath.Join(p.work, name)
		if !linked {
			p.write(t, path, []byte(text))
			continue
		}
		target := filepath.Join(p.outside, filepath.Base(name))
		if _, err := os.Lstat(target); errors.Is(err, fs.ErrNotExist) && !strings.HasSuffix(name, "lock") { // a link to nothing is one more trap
			p.write(t, target, []byte(text))
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.Symlink(target, path)); err != nil {
			t.Fatal(err)
		}
	}
}

// contents returns what the files of the outside directory hold.
func (p *hostilePlace) contents(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(p.outside, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		all[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// lines returns command lines of each command: its examples, and the bare command.
func (p *hostilePlace) lines(t *testing.T) (all [][]string) {
	t.Helper()
	walk(t, func(cmd *cobra.Command) {
		if cmd.GroupID == servers {
			return
		}
		all = append(all, strings.Fields(cmd.CommandPath())[1:])
		for line := range strings.Lines(cmd.Example) {
			if strings.Contains(line, "://") || strings.ContainsAny(line, "<>|") {
				continue
			}
			words := strings.Fields(strings.ReplaceAll(line, `"`, ""))
			for i := range words {
				if strings.HasPrefix(words[i], "/") {
					words[i] = filepath.Join(p.work, "named")
				}
			}
			if len(words) > 1 && words[0] == "livery" {
				all = append(all, words[1:])
			}
		}
	})
	return append(all, []string{"push"}, []string{"push", "tokens"}, []string{"push", ".", "--theme", "web"}, []string{"preview", "tokens"}, []string{"check", "."})
}

// run runs a command line and returns what it printed.
func (p *hostilePlace) run(t *testing.T, line []string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // for those that run until they are told to end
	defer cancel()
	if slices.Contains(line, "preview") || slices.Contains(line, "--watch") {
		cancel()
	}
	var said bytes.Buffer
	a := testApp(strings.NewReader(""), &said, &said)
	_ = a.Report(a.runLine(ctx, line...))
	return said.String()
}

// TestCommandsInHostileDirectory runs every command in a directory that holds a hostile version of each file that commands look
// for there. No token and no request reaches the attacker, no socket outside is dialled, and nothing outside is written (A150).
func TestCommandsInHostileDirectory(t *testing.T) {
	for _, linked := range []bool{false, true} {
		for _, withToken := range []bool{false, true} {
			t.Run(fmt.Sprintf("linked=%t,token=%t", linked, withToken), func(t *testing.T) {
				p := newHostilePlace(t)
				if withToken {
					t.Setenv("LIVERY_TOKEN", "variable-token")
				}
				p.fill(t, linked)
				before, credentials := p.contents(t), read(t, os.Getenv("LIVERY_CREDENTIALS"))
				lines := p.lines(t)
				if linked {
					lines = append(lines, []string{"dev", "--origin", "127.0.0.1:0", "--edge", "127.0.0.1:0"})
				}
				for _, line := range lines {
					said := p.run(t, line)
					for _, got := range p.evil.take() {
						t.Errorf("livery %s sent the attacker %s", strings.Join(line, " "), got)
					}
					for _, got := range p.own.take() {
						if strings.Contains(got, "outside-secret") {
							t.Errorf("livery %s sent a file from outside: %s", strings.Join(line, " "), got)
						}
					}
					select {
					case <-p.dialled:
						t.Errorf("livery %s dialled the socket outside", strings.Join(line, " "))
					default:
					}
					if after := p.contents(t); !maps.Equal(before, after) {
						t.Fatalf("livery %s changed files outside: %v, before %v\n%s", strings.Join(line, " "), after, before, said)
					}
					p.write(t, os.Getenv("LIVERY_CREDENTIALS"), credentials)
				}
			})
		}
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestTokenOfDevOnly: a livery dev that runs gets its own token, and no other; an address that is not loopback gets none.
func TestTokenOfDevOnly(t *testing.T) {
	p := newHostilePlace(t)
	p.fill(t, false)
	lock, err := localfile.Lock(filepath.Join(p.work, cmdline.DefaultData, localfile.LockName))
	if err != nil {
		t.Fatal(err)
	}
	said := p.run(t, []string{"env", "list"})
	if got := p.evil.take(); len(got) != 1 || !strings.Contains(got[0], "Bearer evil-token") || !strings.Contains(said, p.own.URL) {
		t.Errorf("beside a running dev, its origin got %q, want its own token once, and a note that names %s:\n%s", got, p.own.URL, said)
	}
	p.run(t, []string{"env", "list", "--url", p.own.URL})
	if got := p.own.take(); len(got) == 0 || !strings.Contains(got[0], "Bearer stored-token") {
		t.Errorf("--url of the login got %q, want the stored token", got)
	}
	t.Setenv("LIVERY_TOKEN", "variable-token")
	p.run(t, []string{"env", "list"})
	if got := p.evil.take(); len(got) > 0 {
		t.Errorf("LIVERY_TOKEN: the dev got %q", got)
	}
	if got := p.own.take(); len(got) == 0 || !strings.Contains(got[0], "Bearer variable-token") {
		t.Errorf("LIVERY_TOKEN: the origin of the login got %q, want it", got)
	}
	t.Setenv("LIVERY_TOKEN", "")
	for _, address := range []string{"http://192.0.2.1:1", "http://evil.example", "http://127.0.0.1@192.0.2.1", "http://localhost.evil.example", "ftp:x", ""} {
		p.write(t, account.DevPath(cmdline.DefaultData), []byte(`{"originURL":"`+address+`","token":"x"}`))
		if said := p.run(t, []string{"env", "list"}); !strings.Contains(said, "which is not a loopback address") {
			t.Errorf("%q: %s", address, said)
		}
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := account.ReadDev(cmdline.DefaultData); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("ReadDev without a holder of the lock = %v, want fs.ErrNotExist", err)
	}
}

// TestTokenFollowsNoRedirect: an origin that redirects elsewhere does not pass the token on (A151).
func TestTokenFollowsNoRedirect(t *testing.T) {
	p := newHostilePlace(t)
	for _, status := range []int{301, 302, 303, 307, 308} {
		redirect := httptest.NewServer(http.RedirectHandler(p.evil.URL+"/public/v1/environments", status))
		said := p.run(t, []string{"env", "list", "--url", redirect.URL, "--token", "x"})
		redirect.Close()
		if got := p.evil.take(); len(got) > 0 || !strings.Contains(said, "redirect") {
			t.Errorf("%d: the other server got %q; said: %s", status, got, said)
		}
	}
}

// TestVariablesNameAbsolutePaths: a variable that stays set in every directory names no file of the one at hand.
func TestVariablesNameAbsolutePaths(t *testing.T) {
	p := newHostilePlace(t)
	p.fill(t, false)
	for _, variable := range []string{"LIVERY_CREDENTIALS", "LIVERY_CONFIG"} {
		t.Setenv(variable, "credentials.json")
		if said := p.run(t, []string{"env", "list"}); !strings.Contains(said, variable+"=credentials.json is a relative path") {
			t.Errorf("%s: %s", variable, said)
		}
	}
	if got := p.evil.take(); len(got) > 0 {
		t.Errorf("the attacker got %q", got)
	}
}
