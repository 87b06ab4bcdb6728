// Package stories runs the real program as its users do.
package stories

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"example.com/livery/internal/test/program"
	"example.com/livery/internal/test/race"
)

func TestMain(m *testing.M) { program.Main(m.Run) }

// TestStories runs every script of testdata/script against the real program. Beside the commands of
// testscript they have
//
//	start dev|origin|edge [FLAG...]   start a server on free ports in $WORK/NAME, wait until it answers, set its variables
//	end NAME                          end it by Ctrl-C; it must be gone within 5 s with exit code 0
//	kill9 NAME                        kill it
//	header NAME VALUE                 add a header to the next request
//	http STATUS METHOD URL [BODY]     send a request, with $TOKEN to the API; its answer is in the files body and head
//	head NAME REGEXP                  check a header of the last answer; with ! it must not match
//	body REGEXP                       check the body of the last answer; with ! it must not match
//	json VARIABLE PATH                set a variable from the last answer, PATH dotted
//	poll STATUS URL [REGEXP]          repeat a GET until it answers so
//	set VARIABLE FILE                 set a variable to what a file holds
//	certify CA [NAME]                 make CA.pem and CA.key, or NAME.pem and NAME.key for 127.0.0.1 that the CA signs
//	https STATUS CAFILE PROTOCOL URL [REGEXP]  repeat a GET under TLS until it answers so, in HTTP/1.1 or HTTP/2.0
//	journal NAME REGEXP               wait until the log of a server says so
func TestStories(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Files:               stories(t),
		Setup:               setUpStory,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"start": startServer, "end": endServer, "kill9": killServer,
			"header": addHeader, "http": sendRequest, "head": checkHead, "body": checkBody,
			"json": setFromJSON, "poll": pollFor, "set": setFromFile,
			"certify": certify, "receive": receive, "https": pollSecurely, "journal": waitForLog,
		},
	})
}

// stories are the scripts. The race detector sees those that restart servers or connect several: it leaves out the
// commands of one user to one dev, which it does not watch, and what is tested a second time without the edge's fast path,
// behind which the full server is.
func stories(t *testing.T) []string {
	t.Helper()
	scripts, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatal("no scripts", err)
	}
	if !race.Enabled {
		return scripts
	}
	return slices.DeleteFunc(scripts, func(name string) bool {
		text := read(t, name)
		return strings.Count(text, "\nstart ") < 2 || strings.HasSuffix(name, "_full.txtar")
	})
}

// setUpStory gives a script the servers' table, and compiled modules that outlive the run: they are
// compiled once and not for every script.
func setUpStory(env *testscript.Env) error {
	root, err := program.Root()
	if err != nil {
		return err
	}
	compiled := filepath.Join(root, ".cache", "compiled")
	if err := os.MkdirAll(compiled, 0o755); err != nil {
		return err
	}
	env.Setenv("LIVERY_COMPILED", compiled)
	if race.Enabled { // the servers are watched; each short command would take a second to start
		plain := filepath.Join(root, "bin")
		env.Setenv("PATH", plain+string(filepath.ListSeparator)+env.Getenv("PATH"))
	}
	env.Values[storyKey{}] = &story{servers: map[string]*server{}}
	return nil
}

func TestStoriesBeginTheirSectionsWithARule(t *testing.T) {
	for _, name := range stories(t) {
		if text := read(t, name); !strings.HasPrefix(text, "# ") {
			t.Errorf("%s does not begin with the rule that it shows", name)
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
