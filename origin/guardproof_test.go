package origin_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/livery/origin"
)

// front starts a real nginx before the origin, with a mistake that many have made: what a location captures is
// decoded, so that the first segment of a path writes header lines between nginx and the origin. It returns
// nginx's address.
func front(t *testing.T, h *testOrigin) string {
	t.Helper()
	program, err := exec.LookPath("nginx")
	if err != nil {
		t.Skip("NOT PROVEN HERE: nginx is not installed, so nothing can be smuggled through it")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	dir, user := t.TempDir(), ""
	if os.Getuid() == 0 {
		user = "user root;\n"
	}
	configuration := user + `daemon off; worker_processes 1; pid nginx.pid; error_log stderr crit;
events { worker_connections 64; }
http {
  access_log off; client_body_temp_path b; proxy_temp_path p; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
  upstream origin { server ` + strings.TrimPrefix(h.base, "http://") + `; keepalive 1; }
  server {
    listen ` + address + `;
    location ~ "^/(?<label>[^/]*)(?<rest>/.*)$" { proxy_pass http://origin$rest; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header X-Label $label; }
  }
}`
	if err := os.WriteFile(filepath.Join(dir, "nginx.conf"), []byte(configuration), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-c", filepath.Join(dir, "nginx.conf"), "-p", dir, "-e", "stderr")
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		<-ended
	})
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if c, err := net.Dial("tcp", address); err == nil {
			_ = c.Close()
			return address
		}
		if len(ended) > 0 || time.Now().After(deadline) {
			t.Fatalf("nginx does not answer: %s", said.String())
		}
	}
}

// through sends a request by nginx and returns the status of the answer.
func through(t *testing.T, address, method, target, token, body string) int {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	text := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", method, target, token, len(body), body)
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(c)
	var proto string
	var status int
	if _, scanErr := fmt.Sscan(string(answer), &proto, &status); scanErr != nil {
		t.Fatalf("%s %s by nginx: %q, %v", method, target, answer, err)
	}
	return status
}

// A50 A53 A55 A56: behind a real nginx that lets header lines in, it is the guard that stops the second
// request: without it the origin runs what was smuggled, with it nothing.
func TestTheGuardStopsSmugglingThroughNginx(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		without  func(*origin.Config)
		smuggled int // Themes that the smuggled request made
		ordinary int // status of what is ambiguous and carries nothing
	}{
		"with the guard":    {func(*origin.Config) {}, 0, http.StatusBadRequest},
		"without the guard": {origin.Unguarded, 1, http.StatusNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			h := newTestOrigin(t, c.without)
			nginx, token := front(t, h), h.token(owner)
			if status := through(t, nginx, "GET", "/label/public/v1/environments", token, ""); status != 200 {
				t.Fatalf("an ordinary request by nginx = %d, want 200", status)
			}
			theme := `{"slug":"evil","displayName":"E"}`
			hidden := fmt.Sprintf("POST /public/v1/environments/%s/themes HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s", h.sandbox, token, len(theme), theme)
			themes := "/public/v1/environments/" + h.sandbox + "/themes"                                        // whose body is read: after another refusal the connection closes
			through(t, nginx, "POST", "/x%0d%0aTransfer-Encoding:%20chunked"+themes, token, "0\r\n\r\n"+hidden) // A50
			settled(t, h, c.smuggled)
			for attack, line := range map[string]string{
				"A53": "Transfer-Encoding:%20identity", "A55": "%20folded", "A56": "X%20Y:%20z",
			} {
				if status := through(t, nginx, "GET", "/x%0d%0a"+line+"/public/v1/x", token, ""); status != c.ordinary {
					t.Errorf("%s by nginx = %d, want %d", attack, status, c.ordinary)
				}
			}
			settled(t, h, c.smuggled)
		})
	}
}

// settled waits until the smuggled request has run, if it is to run at all, and compares.
func settled(t *testing.T, h *testOrigin, want int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); h.countKeys('h') < want && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
	}
	h.want(200, "GET", "/environments", "") // what came before on any connection has been read by now
	if n := h.countKeys('h'); n != want {
		t.Errorf("%d smuggled requests were run, want %d", n, want)
	}
}

// A50 A53 A55 A56 A58 on the socket itself: each passes without the guard, and is refused and the connection closed
// with it. A58 cannot pass nginx, which speaks for itself.
func TestTheGuardIsWhatRefuses(t *testing.T) {
	t.Parallel()
	guarded, open := newTestOrigin(t), newTestOrigin(t, origin.Unguarded)
	for name, text := range map[string]string{
		"A50 length then chunked": "POST %s HTTP/1.1\r\nHost: a\r\n%sContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"A50 chunked then length": "POST %s HTTP/1.1\r\nHost: a\r\n%sTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
		"A53 identity":            "POST %s HTTP/1.1\r\nHost: a\r\n%sTransfer-Encoding: identity\r\nContent-Length: 2\r\n\r\n{}",
		"A55 a folded line":       "GET %s HTTP/1.1\r\nHost: a\r\n%sX-A: b\r\n c\r\n\r\n",
		"A56 a space in a name":   "GET %s HTTP/1.1\r\nHost: a\r\n%sX A: b\r\n\r\n",
		"A58 HTTP/1.9":            "GET %s HTTP/1.9\r\nHost: a\r\n%s\r\n",
	} {
		for h, wanted := range map[*testOrigin]int{guarded: 2, open: 1} { // guarded closes the connection after one
			answers, closed := h.raw(fmt.Sprintf(text, "/public/v1/x", "Authorization: Bearer "+h.token(owner)+"\r\n"), wanted)
			if len(answers) != 1 {
				t.Fatalf("%s: no answer", name)
			}
			if refused := answers[0].status == 400; refused != (h == guarded) || h == guarded && !closed {
				t.Errorf("%s: guarded %t: %d, closed %t", name, h == guarded, answers[0].status, closed)
			}
		}
	}
}
