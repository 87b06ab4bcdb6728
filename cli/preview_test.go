package cli

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestThePageFollowsItsFiles: a served page draws itself anew when a file is saved, tells its reader of it,
// shows what is wrong with a file, and refuses requests that call it by another name.
func TestThePageFollowsItsFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "theme.json")
	save := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	save(`{"a":{"$type":"color","$value":"#0055aa"}}`)
	address := servedPage(t, file)
	if got := fetch(t, address, ""); !strings.Contains(got, "--a: #0055aa;") {
		t.Errorf("the page lacks the token:\n%s", got)
	}
	changes, err := http.Get(address + "changes")
	if err != nil {
		t.Fatal(err)
	}
	defer changes.Body.Close()
	events := bufio.NewScanner(changes.Body)
	next := func() string {
		for events.Scan() {
			if digest, ok := strings.CutPrefix(events.Text(), "data: "); ok {
				return digest
			}
		}
		t.Fatal("the changes ended: ", events.Err())
		return ""
	}
	first := next()
	save(`{"a":{"$type":"color","$value":"#00aa55ff"}}`)
	if second := next(); second == first {
		t.Error("a change is told with the digest of before")
	}
	if got := fetch(t, address, ""); !strings.Contains(got, "--a: #00aa55ff;") {
		t.Errorf("the page does not follow:\n%s", got)
	}
	save(`{"a":`)
	next()
	if got := fetch(t, address, ""); !strings.Contains(got, "Nothing to show: ") {
		t.Errorf("the page hides what is wrong:\n%s", got)
	}
	if got := fetch(t, address, "evil.example"); strings.Contains(got, "html") {
		t.Errorf("the page answers to another name:\n%s", got)
	}
}

// servedPage runs livery preview until the test ends, and returns the address of the page.
func servedPage(t *testing.T, file string) string {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	out, in := io.Pipe()
	a := testApp(strings.NewReader(""), in, &bytes.Buffer{})
	ended := make(chan error, 1)
	go func() {
		ended <- a.runLine(ctx, "preview", file)
		_ = in.Close()
	}()
	t.Cleanup(func() {
		stop()
		_, _ = io.Copy(io.Discard, out)
		if err := <-ended; err != nil {
			t.Errorf("livery preview ended with %v", err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	address := regexp.MustCompile(`http://\S+/`).FindString(line)
	if err != nil || address == "" {
		t.Fatalf("livery preview says %q, %v", line, err)
	}
	return address
}

// fetch returns what a server answers to GET, under another name if one is given.
func fetch(t *testing.T, address, host string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	if host != "" {
		req.Host = host
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
