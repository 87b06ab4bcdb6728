package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// serverVariable turns on the tests that need a PostgreSQL: they start their own, and take minutes.
const serverVariable = "LIVERY_TEST_POSTGRES"

// node is a PostgreSQL server that the tests started.
type node struct {
	dir, name string
	port      int
	cmd       *exec.Cmd
	ended     chan struct{}
}

// needServer skips loudly where there is no PostgreSQL or nobody asked for it.
func needServer(t testing.TB) {
	t.Helper()
	if os.Getenv(serverVariable) == "" {
		t.Skipf("SKIPPED: these tests start PostgreSQL servers; set %s=1, or run make postgres", serverVariable)
	}
	if program("postgres") == "" || program("initdb") == "" {
		t.Skip("SKIPPED: there is no PostgreSQL server on this machine; install one, as postgresql of Debian")
	}
}

// program returns the newest installed server program of a name.
func program(name string) string {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if len(found) > 0 {
		return found[len(found)-1]
	}
	path, _ := exec.LookPath(name)
	return path
}

// asServer is the user that a server runs as: the server refuses to be root.
func asServer(cmd *exec.Cmd) (*exec.Cmd, error) {
	if os.Getuid() != 0 {
		return cmd, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, err
	}
	uid, _ := strconv.Atoi(u.Uid)
	gid, _ := strconv.Atoi(u.Gid)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	cmd.Dir = "/"
	return cmd, nil
}

func runServerProgram(name string, args ...string) error {
	cmd, err := asServer(exec.Command(program(name), args...))
	if err != nil {
		return err
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return nil
}

// newDirectory makes a directory that the server's user owns.
func newDirectory(t testing.TB, name string) string {
	t.Helper()
	root, err := os.MkdirTemp("/tmp", "livery-pg-")
	if err == nil {
		err = os.Chmod(root, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	dir := filepath.Join(root, name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	own(t, dir)
	return dir
}

func own(t testing.TB, dir string) {
	t.Helper()
	if os.Getuid() != 0 {
		return
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		t.Fatal(err)
	}
	uid, _ := strconv.Atoi(u.Uid)
	gid, _ := strconv.Atoi(u.Gid)
	if err := os.Chown(dir, uid, gid); err != nil {
		t.Fatal(err)
	}
}

func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}

// newNode makes a server that does not run yet.
func newNode(t testing.TB, name string) *node {
	t.Helper()
	n := &node{dir: newDirectory(t, name), name: name, port: freePort(t)}
	t.Cleanup(func() { n.kill() })
	return n
}

// create makes the server's data.
func (n *node) create(t testing.TB) {
	t.Helper()
	if err := runServerProgram("initdb", "-D", n.dir, "-U", "livery", "-A", "trust", "-E", "UTF8", "--no-instructions", "-N"); err != nil {
		t.Fatal(err)
	}
}

// start runs the server with settings, until it answers.
func (n *node) start(t testing.TB, settings ...string) {
	t.Helper()
	args := []string{
		"-D", n.dir, "-p", strconv.Itoa(n.port), "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=" + filepath.Dir(n.dir) + "/" + n.name,
		"-c", "max_connections=200", "-c", "shared_buffers=64MB", "-c", "cluster_name=" + n.name, "-c", "logging_collector=off",
	}
	for _, s := range settings {
		args = append(args, "-c", s)
	}
	cmd, err := asServer(exec.Command(program("postgres"), args...))
	if err == nil {
		var log *os.File
		log, err = os.OpenFile(filepath.Join(filepath.Dir(n.dir), "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		cmd.Stdout, cmd.Stderr = log, log
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	n.cmd, n.ended = cmd, make(chan struct{})
	go func(ended chan struct{}) {
		_ = cmd.Wait()
		close(ended)
	}(n.ended)
	n.awaitAnswer(t)
}

func (n *node) awaitAnswer(t testing.TB) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		conn, err := n.connect()
		if err == nil {
			_ = conn.Close(context.Background())
			return
		}
		if time.Now().After(end) {
			log, _ := os.ReadFile(filepath.Join(filepath.Dir(n.dir), "log"))
			t.Fatalf("server %s does not answer: %v\n%s", n.name, err, log)
		}
	}
}

// kill ends the server at once, with all its processes, as a machine that is lost.
func (n *node) kill() {
	if n.cmd == nil {
		return
	}
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", n.cmd.Process.Pid, n.cmd.Process.Pid))
	_ = n.cmd.Process.Kill()
	for _, child := range strings.Fields(string(children)) {
		if pid, err := strconv.Atoi(child); err == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	<-n.ended
	n.cmd = nil
	_ = os.Remove(filepath.Join(n.dir, "postmaster.pid"))
}

func (n *node) url(parameters string) string {
	return fmt.Sprintf("postgres://livery@127.0.0.1:%d/postgres?sslmode=disable%s", n.port, parameters)
}

func (n *node) connect() (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return pgx.Connect(ctx, n.url(""))
}

// run runs statements, each in its own transaction.
func (n *node) run(t testing.TB, statements ...string) {
	t.Helper()
	conn, err := n.connect()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	for _, s := range statements {
		if _, err := conn.Exec(context.Background(), s); err != nil {
			t.Fatal(errors.Join(errors.New(s), err))
		}
	}
}
