//go:build linux

package edge

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"example.com/livery/bench/internal/world"
)

// The cores of the servers and of the load.
const (
	serverCore = 0
	loadCore   = 1
)

// subject is one running server.
type subject struct {
	name    string
	dir     string // of the files
	address string
	secure  bool
	process *os.Process
	paths   map[string]string // returns the path of a scenario here; nil: as it is
	edge    *world.Edge       // nil: it is not livery
}

// start starts the servers of p, each bound to the servers' core: livery first, whose files the others serve. stop ends them.
func (b *bench) start(ctx context.Context, p *phase) (stop func(), err error) {
	var children []*exec.Cmd
	end := func() {}
	stop = func() {
		end() // its answers have been measured
		for _, c := range children {
			_ = c.Process.Signal(syscall.SIGTERM)
			_ = c.Wait()
		}
	}
	if err := os.MkdirAll(filepath.Join(p.dir, "fresh"), 0o755); err != nil {
		return stop, err
	}
	livery, end, err := startLivery(ctx, b.livery, p)
	if err != nil {
		return stop, err
	}
	p.subjects = append(p.subjects, livery)
	for _, name := range p.servers {
		if !b.servers.Choose(name) {
			continue
		}
		if tool := toolOf(name); !installed(tool) {
			b.figures.Note("%s is left out: there is no %s on the PATH.", name, tool)
			continue
		}
		cmd, s, err := startPeer(name, livery)
		if cmd != nil && cmd.Process != nil {
			children = append(children, cmd)
		}
		if err != nil {
			return stop, fmt.Errorf("%s: %w", name, err)
		}
		p.subjects = append(p.subjects, s)
	}
	return stop, nil
}

// startPeer starts another server, of livery's files, and waits until it answers.
func startPeer(name string, livery *subject) (cmd *exec.Cmd, s *subject, err error) {
	s = &subject{name: name, dir: livery.dir, secure: livery.secure}
	tuning, isNginx := strings.CutPrefix(name, "nginx ")
	switch {
	case isNginx:
		cmd, s.address, err = startNginx(tuning, s.dir, s.secure)
	case name == "varnish": // it keeps what livery has answered
		s.paths = livery.paths
		cmd, s.address, err = peers[name].start(s.dir, livery.address)
	default:
		p := peers[name]
		if s.secure {
			p.text = strings.Replace(p.text, "port: %[3]s", h2oSecure, 1)
		}
		cmd, s.address, err = p.start(s.dir, "")
	}
	if err != nil {
		return cmd, nil, err
	}
	s.process = cmd.Process
	return cmd, s, answers(s.address)
}

// The tunings differ in how a body leaves: by sendfile, or read into buffers and written with its head.
var nginxTunings = map[string]string{
	"sendfile": "sendfile on; tcp_nopush on;",
	"buffers":  "sendfile off; output_buffers 2 256k; postpone_output 1460;",
}

const (
	nginxPlain  = " backlog=4096 deferred"
	nginxListen = " ssl http2 backlog=4096"
	nginxSecure = `ssl_certificate %[1]s/tls.pem; ssl_certificate_key %[1]s/tls.key; ssl_protocols TLSv1.3;
    ssl_session_cache shared:tls:4m; ssl_session_tickets on; ssl_buffer_size 16k;
    add_header Access-Control-Expose-Headers "Age, Cache-Status, ETag"; add_header Cross-Origin-Resource-Policy cross-origin;
    add_header Cache-Status "nginx; hit";`
)

const nginxConfig = `daemon off; worker_processes 1; pid %[1]s/nginx-%[2]s.pid; error_log stderr crit;
worker_cpu_affinity 01; worker_rlimit_nofile 65536;
events { worker_connections 16384; multi_accept on; use epoll; }
http {
  access_log off; %[3]s tcp_nodelay on; server_tokens off; etag on;
  keepalive_timeout 60; keepalive_requests 1000000000; reset_timedout_connection on;
  open_file_cache max=1000 inactive=600s; open_file_cache_valid 600s; open_file_cache_min_uses 1;
  gzip_static on; gzip_vary on;
  types { text/css css; } charset utf-8; charset_types text/css;
  client_body_temp_path %[1]s/t1; proxy_temp_path %[1]s/t2; fastcgi_temp_path %[1]s/t3; uwsgi_temp_path %[1]s/t4; scgi_temp_path %[1]s/t5;
  server {
    listen %[4]s; root %[1]s; %[5]s
    add_header Cache-Control "public, max-age=31536000, immutable";
    add_header Access-Control-Allow-Origin *;
    add_header X-Content-Type-Options nosniff;
    location /fresh/ { gzip on; gzip_static off; gzip_types text/css; }
  }
}
`

func startNginx(tuning, dir string, secure bool) (*exec.Cmd, string, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, "", err
	}
	listen, lines := nginxPlain, ""
	if secure {
		listen, lines = nginxListen, fmt.Sprintf(nginxSecure, dir)
	}
	config := filepath.Join(dir, "nginx-"+tuning+".conf")
	if err := os.WriteFile(config, fmt.Appendf(nil, nginxConfig, dir, tuning, nginxTunings[tuning], address+listen, lines), 0o644); err != nil {
		return nil, "", err
	}
	cmd := exec.Command("taskset", "-c", strconv.Itoa(serverCore), "nginx", "-p", dir, "-c", config)
	cmd.Stderr = os.Stderr
	return cmd, address, cmd.Start()
}

// freeAddress returns an address of the loopback on which no server listens.
func freeAddress() (string, error) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return free.Addr().String(), free.Close()
}

// answers waits until a server takes connections.
func answers(address string) error {
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		c, err := net.Dial("tcp", address)
		if err == nil {
			return c.Close()
		}
		if time.Now().After(end) {
			return err
		}
	}
}

// busy returns the processor time that a server and its workers have used so far.
func (s *subject) busy() (time.Duration, error) { return sum(s, world.Busy) }

// sum adds up a figure of a server and its workers.
func sum[T time.Duration | float64](s *subject, of func(pid int) (T, error)) (total T, err error) {
	workers, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", s.process.Pid))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, err
	}
	for _, process := range append(strings.Fields(string(workers)), strconv.Itoa(s.process.Pid)) {
		pid, err := strconv.Atoi(process)
		if err != nil {
			return 0, err
		}
		more, err := of(pid)
		if err != nil {
			return 0, err
		}
		total += more
	}
	return total, nil
}
