package examples_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// notRun are the commands and drawings of the operating guide that no test runs from its text, by how they
// begin, and why.
var notRun = map[string]string{
	"people, CI ──TLS──>":        "a drawing",
	"install -m 0755 bin/livery": "needs root, and a machine with systemd",
	"docker build":               "needs a container engine",
	"docker compose":             "needs a container engine",
	"pin() {":                    "needs a container engine and a registry",
	"systemd-analyze":            "needs systemd; go test ./deploy runs it where there is one",
	"kubectl":                    "needs a cluster",
	"livery store migrate":       "needs a PostgreSQL; the tests of storage/postgres and storage/dump have their own",
	"issuers:":                   "a part of a teams file with names of nobody",
	"openssl req":                "needs openssl; tests/stories/testdata/script/tls.txtar makes its certificates itself",
	"livery login --url":         "needs an issuer of the world; TestAPersonLogsInWithACode has one of its own",
}

// excused reports whether a command is one that no test runs.
func excused(command string) bool {
	for begin := range notRun {
		if strings.HasPrefix(command, begin) {
			return true
		}
	}
	return false
}

// piece is a block of commands, or one command within a sentence.
type piece struct {
	line    int
	command string
	inline  bool
}

var codeSpan = regexp.MustCompile("`([a-z][a-z-]* [^`]+)`")

// pieces lists what a Markdown text tells its reader to type, in order.
func pieces(text string) []piece {
	var list []piece
	block := false
	for i, line := range strings.Split(text, "\n") {
		code, indented := strings.CutPrefix(line, "    ")
		switch {
		case indented && block:
			list[len(list)-1].command += "\n" + code
		case indented:
			list = append(list, piece{line: i + 1, command: code})
		default:
			for _, span := range codeSpan.FindAllStringSubmatch(line, -1) {
				first, _, _ := strings.Cut(span[1], " ")
				if slices.Contains([]string{"livery", "curl", "docker", "systemd-analyze", "make"}, first) {
					list = append(list, piece{i + 1, span[1], true})
				}
			}
		}
		block = indented
	}
	return list
}

// TestTheOperatingGuide runs every command of the operating guide from its text, but those that are excused:
// the servers until they answer, everything else until it ends well.
func TestTheOperatingGuide(t *testing.T) {
	all := pieces(read(t, "../operating.md"))
	if len(all) < 15 {
		t.Fatalf("the guide has %d commands", len(all))
	}
	o := newOperating(t)
	for _, p := range all {
		if !excused(p.command) {
			o.run(p)
		}
	}
}

// operating is somebody who operates an origin and an edge by the guide.
type operating struct {
	reading
	public, feed, files string // addresses; the guide has those of the defaults
	key                 string // id of a signing key, once there is one
	servers             []server
}

func newOperating(t *testing.T) *operating {
	t.Helper()
	o := &operating{reading: reading{t: t, dir: t.TempDir()}}
	for _, address := range []*string{&o.public, &o.feed, &o.files} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		*address = l.Addr().String()
		defer l.Close() // all three are taken at once, so that they differ
	}
	t.Cleanup(o.end)
	return o
}

// server is a server of the guide.
type server struct {
	cmd   *exec.Cmd
	ended chan struct{} // closed when it is gone
}

// end ends the servers.
func (o *operating) end() {
	for _, s := range o.servers {
		_ = s.cmd.Process.Signal(os.Interrupt)
		<-s.ended
	}
	o.servers = nil
}

// run does what one piece says.
func (o *operating) run(p piece) {
	o.t.Helper()
	words := strings.Fields(p.command)
	switch {
	case words[0] == "make":
		o.make(step{line: p.line, command: p.command}, words[1])
	case p.inline && !strings.Contains(p.command, "-") && (len(words) == 2 || len(words) == 3 && (words[1] == "store" || words[1] == "ci")):
		o.shell(p, p.command+" --help") // it is only spoken of
	case strings.HasPrefix(p.command, "livery origin -") || strings.HasPrefix(p.command, "livery edge -"):
		for line := range strings.SplitSeq(p.command, "\n") {
			o.serve(p, line)
		}
	case strings.HasPrefix(p.command, "livery store check data"):
		o.end() // it is for a store that nobody serves
		o.shell(p, p.command)
	default:
		o.shell(p, p.command)
	}
}

// shell runs a piece in one shell, which ends with its first command that fails.
func (o *operating) shell(p piece, script string) {
	o.t.Helper()
	if strings.Contains(script, "curl") {
		if _, err := exec.LookPath("curl"); err != nil {
			return
		}
		script = strings.ReplaceAll(script, "curl ", "curl -fsS --retry 20 --retry-delay 1 --retry-max-time 20 --retry-all-errors ")
	}
	cmd := exec.Command("sh", "-ec", o.fill(script))
	cmd.Dir = o.dir
	if strings.Contains(script, "$(cat feed-token)") {
		cmd.Dir = filepath.Join(o.dir, "data")
	}
	cmd.Env = append(os.Environ(), "LIVERY_CREDENTIALS="+filepath.Join(o.dir, "none"), "CI=")
	said, err := cmd.CombinedOutput()
	if err != nil {
		o.t.Errorf("operating.md:%d: %s: %v\n%s", p.line, p.command, err, said)
	}
	o.learn(script, string(said))
}

// fill puts what a reader would in the place of what the text leaves open.
func (o *operating) fill(script string) string {
	return strings.NewReplacer(
		"127.0.0.1:8080", o.public, "127.0.0.1:8081", o.feed, "127.0.0.1:8090", o.files, "UPSTREAM", "http://"+o.feed, "KEY_ID", o.key,
	).Replace(script)
}

// learn remembers the ids that commands print.
func (o *operating) learn(script, said string) {
	if id := regexp.MustCompile(`key_[0-9a-z]+`).FindString(said); id != "" && strings.HasPrefix(script, "livery keys add") {
		o.key = id
	}
}

// masterKey seals what the origin of the guide keeps.
var masterKey = base64.StdEncoding.EncodeToString(make([]byte, 48))

// serve starts a server and returns when it has said that it answers.
func (o *operating) serve(p piece, line string) {
	o.t.Helper()
	name := strings.Fields(line)[1]
	data := regexp.MustCompile(`--data (\S+)`).FindStringSubmatch(line)
	if data == nil || strings.Contains(line, "--help") {
		o.shell(p, line)
		return
	}
	listen := map[string]string{"origin": o.public, "edge": o.files}[name]
	compiled, err := filepath.Abs(filepath.Join("..", "..", ".cache", "compiled"))
	if err != nil {
		o.t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", "exec "+o.fill(line))
	cmd.Dir = o.dir
	cmd.Env = append(os.Environ(), "LIVERY_LISTEN="+listen, "LIVERY_OPS_LISTEN=127.0.0.1:0", "LIVERY_LOG_LEVEL=error", "LIVERY_COMPILED="+compiled)
	if name == "origin" {
		cmd.Env = append(cmd.Env, "LIVERY_FEED_LISTEN="+o.feed, "LIVERY_MASTER_KEY="+masterKey) // without one there are no signing keys
	}
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		o.t.Fatal(err)
	}
	s := server{cmd, make(chan struct{})}
	go func() {
		_ = cmd.Wait()
		close(s.ended)
	}()
	o.servers = append([]server{s}, o.servers...)
	announced := filepath.Join(o.dir, data[1], name+".json")
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if text, err := os.ReadFile(announced); err == nil && json.Valid(text) {
			return
		}
		select {
		case <-s.ended:
			o.t.Fatalf("operating.md:%d: %s ended\n%s", p.line, line, said.String())
		default:
		}
	}
	o.t.Fatalf("operating.md:%d: %s does not answer\n%s", p.line, line, said.String())
}

// TestExcusesAreFew keeps the list of what no test runs from excusing a command that a test can run.
func TestExcusesAreFew(t *testing.T) {
	texts := read(t, "../operating.md") + read(t, "../../README.md")
	for begin, why := range notRun {
		if why == "" || strings.HasPrefix(begin, "livery") && !strings.Contains(texts, begin) {
			t.Errorf("%q is excused because %q, and stands nowhere", begin, why)
		}
	}
}

// TestTheREADMESpeaksOfWhatThereIs looks up every command and target that the README and the page of figures only mention.
func TestTheREADMESpeaksOfWhatThereIs(t *testing.T) {
	o := newOperating(t)
	seen := 0
	for _, p := range append(pieces(read(t, "../../README.md")), pieces(read(t, "../../docs/speed.md"))...) {
		words := strings.Fields(p.command)
		switch {
		case !p.inline:
		case words[0] == "make":
			o.make(step{line: p.line}, words[1])
			seen++
		case words[0] == "livery":
			if said, err := exec.Command("sh", "-c", fmt.Sprintf("%s --help", strings.Join(words[:2], " "))).CombinedOutput(); err != nil {
				t.Errorf("README.md:%d: %s: %v\n%s", p.line, p.command, err, said)
			}
			seen++
		}
	}
	if seen < 5 {
		t.Errorf("the README mentions %d commands", seen)
	}
}
