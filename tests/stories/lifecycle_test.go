//go:build linux

package stories

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/livery/internal/test/program"
)

// launched is a server that a test started.
type launched struct {
	t     *testing.T
	cmd   *exec.Cmd
	data  string
	file  map[string]any // what it announced
	ended chan error
}

// servers are the flags of a server of each kind on free ports, beside --data.
var servers = map[string][]string{
	"origin": {"--listen", "127.0.0.1:0", "--feed-listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0", "--public-url", "http://127.0.0.1:1"},
	"edge":   {"--listen", "127.0.0.1:0", "--feed-listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0", "--upstream", "http://127.0.0.1:1"},
	"dev":    {"--origin", "127.0.0.1:0", "--edge", "127.0.0.1:0", "--tls", "--empty"},
}

// launch starts a server and waits until it has announced itself. prefix is a command that runs it.
func launch(t *testing.T, kind string, stderr *os.File, prefix []string, flags ...string) *launched {
	t.Helper()
	dir := t.TempDir()
	p := &launched{t: t, data: filepath.Join(dir, "data"), ended: make(chan error, 1)}
	args := append(append(append([]string{}, prefix...), "livery", kind, "--data", p.data), servers[kind]...)
	if kind != "origin" {
		args = append(args, "--compiled", program.Path(t, ".cache", "compiled"))
	}
	if kind == "edge" {
		token := filepath.Join(dir, "token")
		if err := os.WriteFile(token, []byte("token"), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, "--upstream-token-file", token)
	}
	args = append(args, flags...)
	p.cmd = exec.Command(args[0], args[1:]...)
	p.cmd.Stdout, p.cmd.Stderr = stderr, stderr
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.ended <- p.cmd.Wait() }()
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	p.await("announce itself", func() bool {
		text, err := os.ReadFile(filepath.Join(p.data, kind+".json"))
		return err == nil && json.Unmarshal(text, &p.file) == nil
	})
	return p
}

// await waits until something has happened.
func (p *launched) await(what string, happened func() bool) {
	p.t.Helper()
	for deadline := time.Now().Add(patience); !happened(); time.Sleep(10 * time.Millisecond) {
		select {
		case err := <-p.ended:
			p.t.Fatalf("it ended with %v and did not %s", err, what)
		default:
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("it does not %s", what)
		}
	}
}

// endBy sends a signal and wants the process to end with exit code 0.
func (p *launched) endBy(s os.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
	select {
	case err := <-p.ended:
		if err != nil {
			p.t.Errorf("it ended by %v with %v, want exit code 0", s, err)
		}
	case <-time.After(patience):
		p.t.Errorf("it does not end by %v", s)
	}
}

// status returns what GET of an address is answered with; 0: nothing.
func status(address string) int {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}
	answer, err := client.Get(address)
	if err != nil {
		return 0
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	_ = answer.Body.Close()
	return answer.StatusCode
}

// listeners returns the network and the address of every listener of the process, by what it is for: from the system, so
// that none is forgotten.
func (p *launched) listeners() map[string][2]string {
	p.t.Helper()
	found := map[string][2]string{}
	inodes := map[string]bool{}
	fds, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", p.cmd.Process.Pid))
	if err != nil || len(fds) == 0 {
		p.t.Fatal("no descriptors: ", err)
	}
	for _, fd := range fds {
		if to, err := os.Readlink(fd); err == nil {
			if inode, ok := strings.CutPrefix(to, "socket:["); ok {
				inodes[strings.TrimSuffix(inode, "]")] = true
			}
		}
	}
	for _, line := range lines(p.t, "/proc/net/tcp") {
		if f := strings.Fields(line); len(f) > 9 && f[3] == "0A" && inodes[f[9]] {
			var port int
			_, _ = fmt.Sscanf(f[1][strings.Index(f[1], ":")+1:], "%X", &port)
			address := fmt.Sprintf("127.0.0.1:%d", port)
			found[address] = [2]string{"tcp", address}
		}
	}
	for _, line := range lines(p.t, "/proc/net/unix") {
		if f := strings.Fields(line); len(f) > 7 && f[5] == "01" && inodes[f[6]] {
			found[filepath.Base(f[7])] = [2]string{"unix", f[7]}
		}
	}
	return found
}

func lines(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n")
}

// TestDescriptorsRunOut opens more connections than a process may have descriptors to each listener of each server. The
// operations listener answers meanwhile, and everything afterwards.
func TestDescriptorsRunOut(t *testing.T) {
	for kind, want := range map[string]int{"origin": 5, "edge": 3, "dev": 7} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			null := openNull(t)
			p := launch(t, kind, null, []string{"sh", "-c", `ulimit -n 256; exec "$@"`, "sh"})
			all := p.listeners()
			if len(all) != want {
				t.Errorf("%d listeners were found, want %d: %v", len(all), want, all)
			}
			ops, err := url.Parse(p.file["opsURL"].(string))
			if err != nil {
				t.Fatal(err)
			}
			for name, l := range all {
				var open []net.Conn
				for range 300 {
					if c, err := net.DialTimeout(l[0], l[1], time.Second); err == nil {
						open = append(open, c)
					}
				}
				if name != ops.Host {
					p.await("answer on the operations listener while "+name+" is full", func() bool { return status(ops.String()+"/healthz") == http.StatusOK })
				}
				for _, c := range open {
					_ = c.Close()
				}
				p.await("answer on "+name+" afterwards", func() bool { return answers(l[0], l[1]) })
			}
			p.endBy(syscall.SIGTERM)
		})
	}
}

// answers reports whether a listener answers a request, or a handshake.
func answers(network, address string) bool {
	c, err := net.DialTimeout(network, address, time.Second)
	if err != nil {
		return false
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Second))
	_, _ = io.WriteString(c, "GET /nope HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
	answer, _ := io.ReadAll(c)
	status := 0
	if n, _ := fmt.Sscanf(string(answer), "HTTP/1.1 %d", &status); n == 1 {
		return status < 500
	}
	secure, err := tls.DialWithDialer(&net.Dialer{Timeout: time.Second}, network, address, &tls.Config{InsecureSkipVerify: true}) //nolint:gosec // only whether it answers
	if err == nil {
		_ = secure.Close()
	}
	return err == nil
}

func openNull(t *testing.T) *os.File {
	t.Helper()
	f, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// TestSignals: a server ends by the signals that mean so, and by no other.
func TestSignals(t *testing.T) {
	for kind := range servers {
		for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
			t.Run(kind+" "+s.String(), func(t *testing.T) {
				t.Parallel()
				if signal.Ignored(s) { // as under nohup, and a child inherits it
					t.Skipf("NOT PROVEN: whoever runs this test ignores %s", s)
				}
				p := launch(t, kind, openNull(t), nil)
				for _, harmless := range []syscall.Signal{syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGPIPE, syscall.SIGWINCH, syscall.SIGCONT, syscall.SIGCHLD, syscall.SIGURG} {
					if err := p.cmd.Process.Signal(harmless); err != nil {
						t.Fatal(err)
					}
				}
				if got := status(p.file["opsURL"].(string) + "/healthz"); got != http.StatusOK {
					t.Errorf("/healthz after harmless signals = %d, want 200", got)
				}
				p.endBy(s)
			})
		}
	}
	t.Run("nohup", func(t *testing.T) {
		t.Parallel()
		p := launch(t, "origin", openNull(t), []string{"nohup"})
		if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		if got := status(p.file["opsURL"].(string) + "/healthz"); got != http.StatusOK {
			t.Errorf("/healthz after SIGHUP = %d, want 200", got)
		}
		p.endBy(syscall.SIGTERM)
	})
}

// TestLogReaders: whatever becomes of the reader of what a server prints, it answers and ends.
func TestLogReaders(t *testing.T) {
	for kind := range servers {
		for name, prepare := range map[string]func(r, w *os.File){
			"goes away": func(r, _ *os.File) { _ = r.Close() },
			"hangs":     func(_, w *os.File) { fill(t, w) },
		} {
			t.Run(kind+" "+name, func(t *testing.T) {
				t.Parallel()
				r, w, err := os.Pipe()
				if err != nil {
					t.Fatal(err)
				}
				defer r.Close()
				defer w.Close()
				prepare(r, w)
				p := launch(t, kind, w, nil, "--log-level=debug")
				ops := p.file["opsURL"].(string)
				for range 3 { // each leaves a line
					if got := status(ops + "/healthz"); got != http.StatusOK {
						t.Errorf("/healthz = %d, want 200", got)
					}
				}
				if name == "goes away" {
					p.await("count what it could not print", func() bool { return metric(t, ops, "livery_log_lines_dropped_total") > 0 })
				}
				p.endBy(syscall.SIGTERM)
			})
		}
	}
}

// fill writes to a pipe until it takes no more.
func fill(t *testing.T, w *os.File) {
	t.Helper()
	_ = w.SetWriteDeadline(time.Now().Add(time.Second))
	for _, err := w.Write(make([]byte, 4096)); err == nil; _, err = w.Write(make([]byte, 4096)) {
	}
	_ = w.SetWriteDeadline(time.Time{})
}

// metric returns the value of a metric without labels.
func metric(t *testing.T, ops, name string) (value float64) {
	t.Helper()
	answer, err := http.Get(ops + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		if n, _ := fmt.Sscanf(line, name+" %g", &value); n == 1 {
			return value
		}
	}
	return 0
}

// TestDrain: a server that is told to end says that it is not ready, and goes on to accept requests until its drain delay
// is over.
func TestDrain(t *testing.T) {
	for kind, path := range map[string]string{"origin": "operator.sock", "edge": ""} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			p := launch(t, kind, openNull(t), nil, "--drain-delay=2s")
			ops := p.file["opsURL"].(string)
			all := p.listeners()
			if path != "" {
				p.await("be ready", func() bool { return status(ops+"/readyz") == http.StatusOK })
			}
			if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			p.await("be unready", func() bool { return bodyOf(ops+"/readyz") == "ending\n" })
			for name, l := range all {
				if !answers(l[0], l[1]) {
					t.Errorf("%s does not answer during the drain delay", name)
				}
			}
			select {
			case err := <-p.ended:
				if err != nil {
					t.Errorf("it ended with %v, want exit code 0", err)
				}
			case <-time.After(patience):
				t.Error("it does not end after the drain delay")
			}
		})
	}
}

// bodyOf returns the body of an answer.
func bodyOf(address string) string {
	answer, err := http.Get(address)
	if err != nil {
		return ""
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	return string(text)
}

// TestIdleTimeout: every listener that clients or edges reach closes a connection without a request after the time that the
// operator sets, which is far from the default.
func TestIdleTimeout(t *testing.T) {
	for _, kind := range []string{"origin", "edge"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			p := launch(t, kind, openNull(t), nil, "--idle-timeout=1s")
			ops, err := url.Parse(p.file["opsURL"].(string))
			if err != nil {
				t.Fatal(err)
			}
			tried := 0
			for name, l := range p.listeners() {
				if name == ops.Host || l[0] != "tcp" {
					continue
				}
				tried++
				c, err := net.Dial(l[0], l[1])
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				_ = c.SetDeadline(time.Now().Add(patience))
				_, _ = io.WriteString(c, "GET /nope HTTP/1.1\r\nHost: a\r\n\r\n")
				answer, err := io.ReadAll(c)
				if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 4") || strings.Contains(string(answer), "Connection: close") {
					t.Errorf("%s: the connection ended with %.60q, %v", name, answer, err)
				}
			}
			if tried != 2 {
				t.Errorf("%d listeners were tried, want 2", tried)
			}
			p.endBy(syscall.SIGTERM)
		})
	}
}
