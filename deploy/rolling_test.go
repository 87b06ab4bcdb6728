package deploy_test

import (
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// rolled is an edge of its own that can be restarted on its address and data.
type rolled struct {
	t             *testing.T
	address, data string
	ops           string // its operations listener, another one after each start
	cmd           *exec.Cmd
}

func (e *rolled) start() {
	e.t.Helper()
	e.cmd = exec.Command("livery", "edge", "--data", e.data, "--listen", e.address, "--ops-listen", "127.0.0.1:0", "--upstream", site.FeedURL,
		"--upstream-token-file", filepath.Join(site.dir, "origin", "feed-token"), "--compiled", compiledDir())
	if err := e.cmd.Start(); err != nil {
		e.t.Fatal(err)
	}
	var file struct{ OpsURL string }
	if err := announced(filepath.Join(e.data, "edge.json"), &file); err != nil {
		e.t.Fatal(err)
	}
	e.ops = file.OpsURL
	e.await("become ready", func() bool {
		response, err := http.Get(e.ops + "/readyz")
		if err != nil {
			return false
		}
		_ = response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
}

// await returns once what the edge is waited for has happened.
func (e *rolled) await(what string, happened func() bool) {
	e.t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if happened() {
			return
		}
	}
	e.t.Fatalf("an edge does not %s", what)
}

func (e *rolled) end() {
	e.t.Helper()
	_ = e.cmd.Process.Signal(syscall.SIGTERM)
	if err := e.cmd.Wait(); err != nil {
		e.t.Errorf("an edge ended with %v", err)
	}
}

// TestRollingRestartLosesNothing restarts both edges behind nginx as the operating guide says, the second
// when the first is asked again, which nginx does only some time after it found it gone, while a client asks for latest again and again: every answer is the file.
func TestRollingRestartLosesNothing(t *testing.T) {
	edges := []*rolled{
		{t: t, address: freeAddress(t), data: filepath.Join(t.TempDir(), "a")},
		{t: t, address: freeAddress(t), data: filepath.Join(t.TempDir(), "b")},
	}
	for _, e := range edges {
		e.start()
		t.Cleanup(e.end)
	}
	p := startNginxBefore(t, [2]string{edges[0].address, edges[1].address})
	latest := strings.Replace(site.public, "/1/", "/latest/", 1)
	stop, done := make(chan struct{}), make(chan int)
	go func() {
		asked := 0
		defer func() { done <- asked }()
		for {
			select {
			case <-stop:
				return
			default:
			}
			if got := p.ask(latest); got.StatusCode != http.StatusOK || !strings.Contains(got.body, "--color-brand") {
				t.Errorf("request %d during a restart = %d %s", asked, got.StatusCode, got.body)
			}
			asked++
		}
	}()
	for _, e := range edges {
		e.end()
		e.start()
		e.await("get requests again", func() bool { return counted(t, e.ops, "livery_edge_requests_total") > 0 })
	}
	close(stop)
	if asked := <-done; asked < 10 {
		t.Errorf("only %d requests were made meanwhile", asked)
	} else {
		t.Logf("%d requests, all answered with the file", asked)
	}
}
