package stories

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// patience is how long a story waits for anything; only a failing one waits so long.
const patience = time.Minute

type storyKey struct{}

// story is what the commands of one script share.
type story struct {
	servers map[string]*server
	headers [][2]string // of the next request
	last    answer
}

func storyOf(ts *testscript.TestScript) *story { return ts.Value(storyKey{}).(*story) }

// server is a process of a story.
type server struct {
	cmd    *exec.Cmd
	errors *journal
	ended  chan struct{} // closed when it is gone
	err    error         // of its end; set before ended is closed
}

// startServer is the command start.
func startServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: start dev|origin|edge [FLAG...]")
	}
	name := args[0]
	data := ts.MkAbs(name)
	flags := map[string][]string{
		"dev":    {"--origin", "127.0.0.1:0", "--edge", "127.0.0.1:0"},
		"origin": {"--listen", "127.0.0.1:0", "--feed-listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0", "--log-level", "warn"},
		"edge":   {"--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0", "--log-level", "error"},
	}[name]
	command := append([]string{name, "--data", data}, withoutRepeated(flags, args[1:])...)
	_ = os.Remove(filepath.Join(data, name+".json")) // one that was killed left it
	s := run(ts, append(command, args[1:]...))
	storyOf(ts).servers[name] = s
	announced := waitForFile(ts, s, filepath.Join(data, name+".json"))
	setVariables(ts, name, data, announced)
}

// withoutRepeated returns the flags, each a name and a value, that a script does not give itself: a flag takes one value.
func withoutRepeated(flags, given []string) (rest []string) {
	for pair := range slices.Chunk(flags, 2) {
		if !slices.Contains(given, pair[0]) {
			rest = append(rest, pair...)
		}
	}
	return rest
}

// run starts the program in the background, and ends it with the story at the latest.
func run(ts *testscript.TestScript, args []string) *server {
	s := &server{cmd: exec.Command("livery", args...), errors: &journal{}, ended: make(chan struct{})}
	s.cmd.Dir = ts.MkAbs(".")
	s.cmd.Env = append(os.Environ(), "LIVERY_COMPILED="+ts.Getenv("LIVERY_COMPILED"))
	out, err := os.OpenFile(ts.MkAbs(args[0]+".out"), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o644)
	ts.Check(err)
	s.cmd.Stdout, s.cmd.Stderr = out, s.errors
	ts.Check(s.cmd.Start())
	go func() {
		s.err = s.cmd.Wait()
		_ = out.Close()
		close(s.ended)
	}()
	ts.Defer(func() {
		_ = s.cmd.Process.Kill() // in vain if the story ended it
		<-s.ended
	})
	return s
}

// waitForFile returns what a server says of itself once it answers.
func waitForFile(ts *testscript.TestScript, s *server, path string) map[string]any {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		select {
		case <-s.ended:
			ts.Fatalf("%s ended: %v\n%s", s.cmd.Args[1], s.err, s.errors)
		default:
		}
		text, err := os.ReadFile(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		ts.Check(err)
		var said map[string]any
		ts.Check(json.Unmarshal(text, &said))
		return said
	}
	ts.Fatalf("%s does not appear", path)
	return nil
}

// setVariables gives a script what a server said: ORIGIN, API, EDGE, EDGE_TLS, FEED, OPS, TOKEN, an id for
// each Environment, and LIVERY_DATA, by which the user's commands find a dev.
func setVariables(ts *testscript.TestScript, name, data string, said map[string]any) {
	for member, variable := range map[string]string{
		"originURL": "ORIGIN", "apiURL": "API", "edgeURL": "EDGE", "edgeTLSURL": "EDGE_TLS", "feedURL": "FEED", "opsURL": strings.ToUpper(name) + "_OPS", "token": "TOKEN",
	} {
		if value, ok := said[member].(string); ok {
			ts.Setenv(variable, value)
		}
	}
	environments, _ := said["environments"].(map[string]any)
	for slug, id := range environments {
		ts.Setenv(strings.ToUpper(slug), id.(string))
	}
	if name != "edge" {
		ts.Setenv("LIVERY_DATA", data)
	}
}

// endServer is the command end.
func endServer(ts *testscript.TestScript, _ bool, args []string) {
	s := serverOf(ts, args)
	ts.Check(s.cmd.Process.Signal(syscall.SIGINT))
	select {
	case <-s.ended:
		if s.err != nil {
			ts.Fatalf("%s did not end well: %v\n%s", args[0], s.err, s.errors)
		}
	case <-time.After(patience):
		_ = s.cmd.Process.Signal(syscall.SIGQUIT) // its stacks say what it waits for
		<-s.ended
		ts.Fatalf("%s did not end within %s\n%s", args[0], patience, s.errors)
	}
}

// killServer is the command kill9.
func killServer(ts *testscript.TestScript, _ bool, args []string) {
	s := serverOf(ts, args)
	ts.Check(s.cmd.Process.Kill())
	<-s.ended
}

func serverOf(ts *testscript.TestScript, args []string) *server {
	if len(args) != 1 || storyOf(ts).servers[args[0]] == nil {
		ts.Fatalf("name a server that was started")
	}
	s := storyOf(ts).servers[args[0]]
	delete(storyOf(ts).servers, args[0])
	return s
}
