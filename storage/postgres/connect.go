package postgres

import (
	"errors"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// silentFor is how long a machine may say nothing before its connections are given up.
const silentFor = 10 * time.Second

// silence finds machines that say nothing while nothing is sent to them.
var silence = net.KeepAliveConfig{Enable: true, Idle: silentFor / 2, Interval: silentFor / 5, Count: 3}

// prepareConfig sets what the promise needs of every connection, whatever the address says.
func prepareConfig(c *pgx.ConnConfig, o Options) {
	c.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	c.DialFunc = newDialer().DialContext
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = 3 * time.Second
	}
	if c.RuntimeParams["application_name"] == "" {
		c.RuntimeParams["application_name"] = "livery"
	}
	c.RuntimeParams["synchronous_commit"] = "on"
	c.RuntimeParams["client_encoding"] = "UTF8"
	// A snapshot that is forgotten keeps dead rows.
	c.RuntimeParams["idle_in_transaction_session_timeout"] = strconv.FormatInt(o.SnapshotIdle.Milliseconds(), 10)
}

// forCommits sets what the connection that commits needs beside: it must not wait for a lock that the
// server holds for a connection which is gone.
func forCommits(c *pgx.ConnConfig) *pgx.ConnConfig {
	c = c.Copy()
	c.RuntimeParams["lock_timeout"] = strconv.FormatInt(lockWait.Milliseconds(), 10)
	return c
}

// forNotices sets what the connection that follows the log needs beside: its own transactions only notify,
// which need not wait for a disk or a standby.
func forNotices(c *pgx.ConnConfig) *pgx.ConnConfig {
	c = c.Copy()
	c.RuntimeParams["synchronous_commit"] = "off"
	return c
}

// lockWait is how long a commit waits for the head of the log, and ackWait how long for its
// acknowledgement, and byteWait longer for each byte of it, before the connection is given up and the
// commit looked for on another. Callers that wait for the commit wait on.
const (
	lockWait = 3 * time.Second
	ackWait  = 4 * time.Second
	byteWait = time.Microsecond
)

// Redact returns the address of a database as it may be shown: role, hosts and name, and nothing else. A
// text that is not an address is not shown at all.
func Redact(address string) string {
	c, err := pgx.ParseConfig(address)
	if err != nil {
		return "postgres://…"
	}
	hosts := []string{net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port)))}
	for _, f := range c.Fallbacks {
		if h := net.JoinHostPort(f.Host, strconv.Itoa(int(f.Port))); !slices.Contains(hosts, h) {
			hosts = append(hosts, h)
		}
	}
	return "postgres://" + c.User + "@" + strings.Join(hosts, ",") + "/" + c.Database
}

// unread is the error of an address that cannot be read, without the address: the driver finds not every
// password in a text that it cannot read.
func unread(err error) error {
	var parse *pgconn.ParseConfigError
	if errors.As(err, &parse) && errors.Unwrap(parse) != nil {
		err = errors.Unwrap(parse)
	}
	var inURL *url.Error
	if errors.As(err, &inURL) {
		err = inURL.Err
	}
	return &ServerError{Faults: []Fault{{"its address cannot be read (" + err.Error() + ")", "write postgres://ROLE@HOST:PORT/DATABASE, hosts between commas"}}}
}
