package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// ErrServer is returned if the server does not keep what a store promises, or refuses the connection. The error is
// a *ServerError.
var ErrServer = errors.New("the server does not keep what is promised")

// Fault is one thing that keeps a server from being used.
type Fault struct {
	Problem string // what is wrong
	Repair  string // what mends it
}

// ServerError is everything that keeps a server from being used. It is an ErrServer.
type ServerError struct {
	Faults []Fault // at least one
	cause  error   // nil if the server answered well
}

// Error lists the faults and what mends them.
func (e *ServerError) Error() string {
	var all []string
	for _, f := range e.Faults {
		all = append(all, f.Problem+": "+f.Repair)
	}
	return ErrServer.Error() + ": " + strings.Join(all, "; ")
}

// Is reports whether target is ErrServer.
func (e *ServerError) Is(target error) bool { return target == ErrServer }

// Unwrap returns what the server said.
func (e *ServerError) Unwrap() error { return e.cause }

// oldest is the oldest server version that is tried.
const oldest = 140000

// checkServer returns a ServerError with everything that is wrong.
func checkServer(ctx context.Context, c *pgx.Conn, alone bool) error {
	settings := map[string]string{}
	for _, name := range []string{"server_version_num", "server_encoding", "fsync", "full_page_writes", "synchronous_commit", "synchronous_standby_names"} {
		var value string
		if err := c.QueryRow(ctx, "SELECT current_setting($1)", name).Scan(&value); err != nil {
			return err
		}
		settings[name] = value
	}
	wrong := wrongSettings(settings)
	if !alone {
		more, err := wrongQuorum(ctx, c, settings["synchronous_standby_names"])
		if err != nil {
			return err
		}
		wrong = append(wrong, more...)
	}
	if len(wrong) > 0 {
		return &ServerError{Faults: wrong}
	}
	return nil
}

func wrongSettings(settings map[string]string) (wrong []Fault) {
	if n, err := strconv.Atoi(settings["server_version_num"]); err != nil || n < oldest {
		wrong = append(wrong, Fault{"it is older than version 14", "upgrade it"})
	}
	if settings["server_encoding"] != "UTF8" {
		wrong = append(wrong, Fault{"its encoding is " + settings["server_encoding"], "create the database with ENCODING 'UTF8' TEMPLATE template0"})
	}
	for _, name := range []string{"fsync", "full_page_writes"} {
		if settings[name] != "on" {
			wrong = append(wrong, Fault{name + " is off, so that a crash loses what was acknowledged", "set it on"})
		}
	}
	// The connection asks for "on" itself; what stands between may have dropped that.
	if v := settings["synchronous_commit"]; v != "on" && v != "remote_apply" {
		wrong = append(wrong, Fault{"synchronous_commit is " + v + " although the connection asks for on", "let the pooler pass the setting on, or set it on for the role"})
	}
	return wrong
}

// wrongQuorum reports a server whose commits wait for no standby, or for one that is not there.
func wrongQuorum(ctx context.Context, c *pgx.Conn, names string) ([]Fault, error) {
	if strings.TrimSpace(names) == "" {
		return []Fault{{
			"synchronous_standby_names is empty, so that a lost server loses what was acknowledged",
			"set it to ANY 1 (…) with at least two standbys, or allow a server that stands alone (livery origin --store-allow-single) and back it up",
		}}, nil
	}
	var sees bool
	var waiting int
	err := c.QueryRow(ctx, `SELECT pg_has_role(current_user, 'pg_read_all_stats', 'usage'),
		(SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum'))`).Scan(&sees, &waiting)
	switch {
	case err != nil:
		return nil, err
	case waiting > 0:
		return nil, nil
	case !sees:
		return []Fault{{"the role may not see whether standbys are connected", "GRANT pg_read_all_stats TO " + c.Config().User}}, nil
	}
	return []Fault{{"no synchronous standby is connected, so that every commit would wait for ever", "start one that synchronous_standby_names names"}}, nil
}

// explained makes a ServerError of what a server says to a stranger; other errors stay as they are.
func explained(config *pgx.ConnConfig, err error) error {
	var pg *pgconn.PgError
	refused := func(problem, repair string) error { return &ServerError{[]Fault{{problem, repair}}, err} }
	switch {
	case errors.Is(err, ErrServer):
		return err
	case errors.Is(err, pgconn.ErrReadOnlyConnection):
		return refused("it takes no writes", "name the primary, or all nodes between commas; where it is the primary, turn default_transaction_read_only off")
	case !errors.As(err, &pg):
		return err
	}
	switch pg.Code {
	case "28P01", "28000":
		return refused("it does not let the role "+config.User+" in", "give the password in PGPASSWORD or in the file that PGPASSFILE names, and look at pg_hba.conf")
	case "3D000":
		return refused("it has no database "+config.Database, fmt.Sprintf("CREATE DATABASE %s ENCODING 'UTF8' TEMPLATE template0", config.Database))
	case "3F000", "42501":
		return refused("the role "+config.User+" may not make tables in its schema",
			"make it the owner of the database, or GRANT CREATE, USAGE ON SCHEMA public TO "+config.User+"; a schema that the address names by search_path must be there")
	}
	return err
}
