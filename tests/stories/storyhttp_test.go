package stories

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// answer is one answer of a server.
type answer struct {
	status int
	head   http.Header
	body   []byte
}

// addHeader is the command header.
func addHeader(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: header NAME VALUE")
	}
	s := storyOf(ts)
	s.headers = append(s.headers, [2]string{args[0], args[1]})
}

// sendRequest is the command http.
func sendRequest(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 || len(args) > 4 {
		ts.Fatalf("usage: http STATUS METHOD URL [BODYFILE]")
	}
	var body string
	if len(args) == 4 {
		body = ts.ReadFile(args[3])
	}
	s := storyOf(ts)
	last, err := send(ts, args[1], args[2], body, s.headers)
	ts.Check(err)
	s.headers, s.last = nil, last
	keep(ts, last)
	if strconv.Itoa(last.status) != args[0] {
		ts.Fatalf("%s %s = %d, want %s\n%s", args[1], args[2], last.status, args[0], last.body)
	}
}

// send sends one request, with the token of the story if it goes to the API.
func send(ts *testscript.TestScript, method, url, body string, headers [][2]string) (answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Accept-Encoding", "identity")
	if origin := ts.Getenv("ORIGIN"); origin != "" && strings.HasPrefix(url, origin) {
		req.Header.Set("Authorization", "Bearer "+ts.Getenv("TOKEN"))
	}
	for _, h := range headers {
		req.Header.Set(h[0], h[1])
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return answer{res.StatusCode, res.Header, text}, err
}

// keep puts an answer into the files body and head, for cmp and grep.
func keep(ts *testscript.TestScript, a answer) {
	var head strings.Builder
	fmt.Fprintln(&head, a.status)
	for _, name := range slices.Sorted(maps.Keys(a.head)) {
		fmt.Fprintf(&head, "%s: %s\n", name, strings.Join(a.head[name], ", "))
	}
	ts.Check(os.WriteFile(ts.MkAbs("body"), a.body, 0o644))
	ts.Check(os.WriteFile(ts.MkAbs("head"), []byte(head.String()), 0o644))
}

// checkHead is the command head.
func checkHead(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: head NAME REGEXP")
	}
	match(ts, neg, args[1], strings.Join(storyOf(ts).last.head.Values(args[0]), ", "), args[0])
}

// checkBody is the command body.
func checkBody(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: body REGEXP")
	}
	match(ts, neg, args[0], string(storyOf(ts).last.body), "the body")
}

func match(ts *testscript.TestScript, neg bool, pattern, text, what string) {
	re, err := regexp.Compile("(?m)" + pattern)
	ts.Check(err)
	if re.MatchString(text) == neg {
		ts.Fatalf("%s is %q, and must match %s: %t", what, text, pattern, !neg)
	}
}

// setFromJSON is the command json.
func setFromJSON(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: json VARIABLE PATH")
	}
	var v any
	ts.Check(json.Unmarshal(storyOf(ts).last.body, &v))
	for name := range strings.SplitSeq(args[1], ".") {
		switch n := v.(type) {
		case map[string]any:
			v = n[name]
		case []any:
			i, err := strconv.Atoi(name)
			ts.Check(err)
			v = n[i]
		default:
			ts.Fatalf("the answer has no %s", args[1])
		}
	}
	ts.Setenv(args[0], fmt.Sprint(v))
}

// setFromFile is the command set.
func setFromFile(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: set VARIABLE FILE")
	}
	ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile(args[1])))
}

// pollFor is the command poll.
func pollFor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: poll STATUS URL [REGEXP]")
	}
	wanted := regexp.MustCompile("")
	if len(args) == 3 {
		wanted = regexp.MustCompile("(?m)" + args[2])
	}
	s := storyOf(ts)
	var err error
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if s.last, err = send(ts, http.MethodGet, args[1], "", nil); err == nil && strconv.Itoa(s.last.status) == args[0] && wanted.Match(s.last.body) {
			keep(ts, s.last)
			return
		}
	}
	ts.Fatalf("GET %s never answered %s %s: %v, last %d\n%s", args[1], args[0], wanted, err, s.last.status, s.last.body)
}
