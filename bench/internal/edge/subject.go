//go:build linux

package edge

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"example.com/livery/bench/internal/load"
	"golang.org/x/sys/unix"
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
}

// start starts the servers, each bound to the servers' core. stop ends those that run.
func (b *bench) start(ctx context.Context, dir string) (subjects []*subject, stop func(), err error) {
	var children []*exec.Cmd
	end := func() {}
	stop = func() {
		end() // its answers have been measured
		for _, c := range children {
			_ = c.Process.Signal(syscall.SIGTERM)
			_ = c.Wait()
		}
	}
	if b.livery == "" {
		err = writeFiles(dir)
	} else {
		var s *subject
		s, end, err = startLivery(ctx, b.livery, dir, b.secure)
		subjects = append(subjects, s)
	}
	if err != nil {
		return nil, stop, err
	}
	for _, name := range serverNames {
		if !b.servers.Choose(name) {
			continue
		}
		if tool := toolOf(name); !installed(tool) {
			b.figures.Note("%s is left out: there is no %s on the PATH.", name, tool)
			continue
		}
		started, s, err := b.startOne(name, dir)
		children = append(children, started...)
		if err != nil {
			return nil, stop, fmt.Errorf("%s: %w", name, err)
		}
		subjects = append(subjects, s)
	}
	return subjects, stop, nil
}

// startOne starts one server, with what it needs behind it, and waits until it answers.
func (b *bench) startOne(name, dir string) (started []*exec.Cmd, s *subject, err error) {
	behind := ""
	if name == "varnish" { // it keeps what another server has answered
		cmd, address, err := b.command("net/http", dir, "")
		if cmd != nil {
			started = append(started, cmd)
		}
		if err != nil {
			return started, nil, err
		}
		behind = address
	}
	cmd, address, err := b.command(name, dir, behind)
	if cmd != nil && cmd.Process != nil {
		started = append(started, cmd)
	}
	if err == nil {
		err = answers(address)
	}
	if err != nil {
		return started, nil, err
	}
	return started, &subject{name: name, dir: dir, address: address, secure: b.secure, process: cmd.Process}, nil
}

// command starts one server and returns its address.
func (b *bench) command(name, dir, behind string) (*exec.Cmd, string, error) {
	if tuning, ok := strings.CutPrefix(name, "nginx "); ok {
		return startNginx(tuning, dir, b.secure)
	}
	if p, ok := peers[name]; ok {
		if b.secure {
			p.text = strings.Replace(p.text, "port: %[3]s", h2oSecure, 1)
		}
		return p.start(name, dir, behind)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, "", err
	}
	cmd := exec.Command("taskset", "-c", strconv.Itoa(serverCore), self, Child, name, dir, b.profile)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	if err := cmd.Start(); err != nil {
		return nil, "", err
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	return cmd, strings.TrimSpace(address), err
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
func (s *subject) busy() (total time.Duration, err error) {
	workers, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", s.process.Pid))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, err
	}
	for _, process := range append(strings.Fields(string(workers)), strconv.Itoa(s.process.Pid)) {
		pid, err := strconv.Atoi(process)
		if err != nil {
			return 0, err
		}
		more, err := load.Busy(pid)
		if err != nil {
			return 0, err
		}
		total += more
	}
	return total, nil
}

// pin binds this goroutine to a thread, and that to a core.
func pin(core int) error {
	runtime.LockOSThread()
	var set unix.CPUSet
	set.Set(core)
	return unix.SchedSetaffinity(0, &set)
}
