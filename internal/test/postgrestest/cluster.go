package postgrestest

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Cluster is a primary and two standbys, of which one at least has every acknowledged commit. It is for
// one goroutine.
type Cluster struct {
	Nodes    []*Node
	Primary  *Node
	settings []string
}

var clusterSettings = []string{
	"wal_level=replica", "max_wal_senders=10", "hot_standby=on", "wal_keep_size=256MB", "wal_receiver_timeout=2s", "wal_retrieve_retry_interval=100ms",
	"synchronous_standby_names=ANY 1 (n1, n2, n3)",
}

// StartCluster starts three nodes, each with more settings, and returns when both standbys stream.
func StartCluster(settings ...string) (*Cluster, error) {
	c := &Cluster{settings: append(append([]string{}, clusterSettings...), settings...)}
	if err := c.start(); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (c *Cluster) start() error {
	for i := range 3 {
		n, err := NewNode(fmt.Sprint("n", i+1))
		if err != nil {
			return err
		}
		c.Nodes = append(c.Nodes, n)
	}
	c.Primary = c.Nodes[0]
	if err := c.Primary.Create(); err != nil {
		return err
	}
	if err := c.Primary.Run(c.settings...); err != nil {
		return err
	}
	for _, n := range c.Nodes[1:] {
		if err := c.Join(n); err != nil {
			return err
		}
	}
	return c.AwaitStandbys(2)
}

// Close kills all nodes and removes their data.
func (c *Cluster) Close() {
	for _, n := range c.Nodes {
		n.Close()
	}
}

// Join makes a node that does not run a new standby of the primary.
func (c *Cluster) Join(n *Node) error {
	if err := n.empty(); err != nil {
		return err
	}
	err := runProgram("pg_basebackup", "-D", n.dir(), "-h", "127.0.0.1", "-p", strconv.Itoa(c.Primary.Port), "-U", "livery", "-R", "-X", "stream", "-c", "fast", "-N")
	if err != nil {
		return err
	}
	return n.Run(c.settings...)
}

// AwaitStandbys returns when so many standbys stream from the primary.
func (c *Cluster) AwaitStandbys(want int) error {
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		var got int
		conn, err := c.Primary.Connect()
		if err == nil {
			err = conn.QueryRow(context.Background(), "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'").Scan(&got)
			_ = conn.Close(context.Background())
		}
		if err == nil && got >= want {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("%d standbys stream, want %d: %w", got, want, err)
		}
	}
}

// FailOver kills the primary and promotes a standby, and returns the node that was killed.
func (c *Cluster) FailOver() (dead *Node, err error) {
	dead = c.Primary
	dead.Kill()
	return dead, c.Promote()
}

// Promote makes the standby that received more the primary, and lets the other follow it. The primary
// before must be gone, or hang.
func (c *Cluster) Promote() error {
	old := c.Primary
	var best *Node
	var furthest uint64
	for _, n := range c.Nodes {
		if n == old {
			continue
		}
		got, err := n.received()
		if err != nil {
			return err
		}
		if best == nil || got > furthest {
			best, furthest = n, got
		}
	}
	if err := best.Execute("SELECT pg_promote(true, 30)"); err != nil {
		return err
	}
	c.Primary = best
	for _, n := range c.Nodes {
		if n == old || n == best {
			continue
		}
		follow := fmt.Sprintf("ALTER SYSTEM SET primary_conninfo = 'host=127.0.0.1 port=%d user=livery'", best.Port)
		if err := n.Execute(follow, "SELECT pg_reload_conf()"); err != nil {
			return err
		}
	}
	return nil
}

// received returns how far a standby's log has come.
func (n *Node) received() (uint64, error) {
	conn, err := n.Connect()
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close(context.Background()) }()
	var at string
	if err := conn.QueryRow(context.Background(), "SELECT coalesce(pg_last_wal_receive_lsn(), '0/0')::text").Scan(&at); err != nil {
		return 0, err
	}
	high, low, _ := strings.Cut(at, "/")
	h, _ := strconv.ParseUint(high, 16, 32)
	l, _ := strconv.ParseUint(low, 16, 32)
	return h<<32 | l, nil
}

// URL names all nodes; whichever takes writes is used.
func (c *Cluster) URL() string {
	var hosts []string
	for _, n := range c.Nodes {
		hosts = append(hosts, fmt.Sprintf("127.0.0.1:%d", n.Port))
	}
	return "postgres://livery@" + strings.Join(hosts, ",") + "/postgres?sslmode=disable"
}
