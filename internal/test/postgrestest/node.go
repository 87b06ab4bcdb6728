// Package postgrestest starts PostgreSQL servers for tests and benchmarks: one that stands alone, and a
// primary with two synchronous standbys whose primary can be lost. The servers are of this machine's
// installation, run in directories of their own, and end with Close.
package postgrestest

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

	"github.com/jackc/pgx/v5"
)

// Variable is the environment variable that turns on the tests that start servers: they take minutes.
const Variable = "LIVERY_TEST_POSTGRES"

// Why returns why tests that start servers cannot run here, or "".
func Why() string {
	if os.Getenv(Variable) == "" {
		return "SKIPPED: these tests start PostgreSQL servers; set " + Variable + "=1, or run make suite NAME=postgres"
	}
	if !Installed() {
		return "SKIPPED: there is no PostgreSQL server on this machine; install one, as postgresql of Debian"
	}
	return ""
}

// Installed reports whether this machine has the server's programs.
func Installed() bool { return program("postgres") != "" && program("initdb") != "" }

// program returns the newest installed server program of a name.
func program(name string) string {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if len(found) > 0 {
		return found[len(found)-1]
	}
	path, _ := exec.LookPath(name)
	return path
}

// Node is a server. It is for one goroutine.
type Node struct {
	Name  string
	Port  int // on 127.0.0.1
	root  string
	cmd   *exec.Cmd // nil while it does not run
	ended chan struct{}
}

// NewNode makes a directory for a server that does not run yet and has no data.
func NewNode(name string) (*Node, error) {
	root, err := os.MkdirTemp("", "livery-pg-")
	if err != nil {
		return nil, err
	}
	n := &Node{Name: name, root: root}
	if err = os.Chmod(root, 0o755); err == nil {
		if err = n.empty(); err == nil {
			n.Port, err = freePort()
		}
	}
	if err != nil {
		_ = os.RemoveAll(root)
		return nil, err
	}
	return n, nil
}

// Start makes a server with data of its own and runs it with settings, each "name=value".
func Start(name string, settings ...string) (*Node, error) {
	n, err := NewNode(name)
	if err != nil {
		return nil, err
	}
	if err = n.Create(); err == nil {
		err = n.Run(settings...)
	}
	if err != nil {
		n.Close()
		return nil, err
	}
	return n, nil
}

func (n *Node) dir() string { return filepath.Join(n.root, n.Name) }

// empty makes the directory of the data, which the server's user owns, anew.
func (n *Node) empty() error {
	if err := os.RemoveAll(n.dir()); err != nil {
		return err
	}
	if err := os.Mkdir(n.dir(), 0o700); err != nil {
		return err
	}
	return giveToServer(n.dir())
}

func command(name string, args ...string) (*exec.Cmd, error) {
	cmd := exec.Command(program(name), args...)
	cmd.Dir = "/"
	return cmd, runAsServer(cmd)
}

func runProgram(name string, args ...string) error {
	cmd, err := command(name, args...)
	if err != nil {
		return err
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return nil
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// Create makes the server's data: role and superuser livery, who needs no password.
func (n *Node) Create() error {
	return runProgram("initdb", "-D", n.dir(), "-U", "livery", "-A", "trust", "-E", "UTF8", "--no-instructions", "-N")
}

// Run runs the server with settings, and returns when it answers. The system may need a moment to take
// back what a killed server held, so one that ends at once is started again.
func (n *Node) Run(settings ...string) error {
	args := []string{
		"-D", n.dir(), "-p", strconv.Itoa(n.Port), "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=" + n.dir(),
		"-c", "max_connections=200", "-c", "shared_buffers=64MB", "-c", "cluster_name=" + n.Name, "-c", "logging_collector=off",
	}
	for _, s := range settings {
		args = append(args, "-c", s)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if err := n.launch(args); err != nil {
			return err
		}
		err := n.awaitAnswer(end)
		if err == nil {
			return nil
		}
		if time.Now().After(end) {
			log, _ := os.ReadFile(n.log())
			return fmt.Errorf("server %s does not answer: %w\n%s", n.Name, err, log)
		}
	}
}

func (n *Node) launch(args []string) error {
	cmd, err := command("postgres", args...)
	if err != nil {
		return err
	}
	log, err := os.OpenFile(n.log(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return err
	}
	n.cmd, n.ended = cmd, make(chan struct{})
	go func(ended chan struct{}) {
		_ = cmd.Wait()
		close(ended)
	}(n.ended)
	return nil
}

func (n *Node) log() string { return filepath.Join(n.root, "log") }

// awaitAnswer returns nil when the server answers, or an error when it ended or end came.
func (n *Node) awaitAnswer(end time.Time) error {
	for {
		conn, err := n.Connect()
		if err == nil {
			return conn.Close(context.Background())
		}
		select {
		case <-n.ended:
			n.cmd = nil
			return err
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(end) {
			return err
		}
	}
}

// Kill ends the server at once, with all its processes, as a machine that is lost.
func (n *Node) Kill() {
	if n.cmd == nil {
		return
	}
	n.Signal(syscall.SIGKILL)
	<-n.ended
	n.cmd = nil
	_ = os.Remove(filepath.Join(n.dir(), "postmaster.pid"))
}

// Signal sends a signal to all processes of the server: SIGSTOP makes it a machine that hangs, SIGCONT
// lets it go on.
func (n *Node) Signal(signal syscall.Signal) {
	if n.cmd == nil {
		return
	}
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", n.cmd.Process.Pid, n.cmd.Process.Pid))
	_ = n.cmd.Process.Signal(signal)
	for _, child := range strings.Fields(string(children)) {
		if pid, err := strconv.Atoi(child); err == nil {
			if process, err := os.FindProcess(pid); err == nil {
				_ = process.Signal(signal)
			}
		}
	}
}

// Close kills the server and removes its data.
func (n *Node) Close() {
	n.Kill()
	_ = os.RemoveAll(n.root)
}

// URL is the server's address with more parameters, each "&name=value".
func (n *Node) URL(parameters string) string {
	return fmt.Sprintf("postgres://livery@127.0.0.1:%d/postgres?sslmode=disable%s", n.Port, parameters)
}

// Connect connects to the server itself.
func (n *Node) Connect() (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return pgx.Connect(ctx, n.URL(""))
}

// Execute runs statements, each in its own transaction.
func (n *Node) Execute(statements ...string) error {
	conn, err := n.Connect()
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.Background()) }()
	for _, s := range statements {
		if _, err := conn.Exec(context.Background(), s); err != nil {
			return errors.Join(errors.New(s), err)
		}
	}
	return nil
}
