package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/livery/storage"
	"example.com/livery/storage/postgres"
)

// A server that does not keep what a store promises, or refuses the connection, is refused with what repairs it.
func TestAServerThatDoesNotKeepThePromiseIsRefused(t *testing.T) {
	a := one(t)
	a.run(t, "CREATE ROLE plain LOGIN", "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0", "CREATE SCHEMA theirs")
	for name, tt := range map[string]struct {
		setting  string // of the server
		user, db string // empty: livery, postgres
		more     string // of the address
		alone    bool
		says     string
	}{
		"no standby":                           {says: "synchronous_standby_names is empty"},
		"a standby that is not there":          {setting: "synchronous_standby_names = 'ANY 1 (n2, n3)'", says: "no synchronous standby is connected"},
		"a role that sees no standbys":         {setting: "synchronous_standby_names = 'ANY 1 (n2, n3)'", user: "plain", says: "GRANT pg_read_all_stats TO plain"},
		"no full pages":                        {setting: "full_page_writes = off", alone: true, says: "full_page_writes is off"},
		"another encoding":                     {db: "latin", alone: true, says: "its encoding is LATIN1"},
		"no database":                          {db: "none", alone: true, says: "CREATE DATABASE none"},
		"no role":                              {user: "stranger", alone: true, says: "does not let the role stranger in"},
		"a role that may not make tables":      {user: "plain", more: "&search_path=theirs", alone: true, says: "may not make tables"},
		"a schema that is not there":           {more: "&search_path=nowhere", alone: true, says: "must be there"},
		"a server that takes no writes":        {more: "&default_transaction_read_only=on", alone: true, says: "takes no writes"},
		"a setting that the address undoes":    {more: "&synchronous_commit=off", alone: true},
		"a good server that stands by itself":  {alone: true},
		"a role that owns what it is to write": {user: "owner", more: "&search_path=own", alone: true},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.user == "owner" {
				a.run(t, "CREATE ROLE owner LOGIN", "CREATE SCHEMA own AUTHORIZATION owner")
			}
			if tt.more == "" && tt.db == "" {
				tt.more = "&search_path=" + a.schema(t)
			}
			if tt.setting != "" { // from here on a commit of this test may wait for ever
				a.run(t, "ALTER SYSTEM SET "+tt.setting)
				defer a.set(t, "full_page_writes", "on")
				defer a.set(t, "synchronous_standby_names", "")
				parts := strings.SplitN(tt.setting, " = ", 2)
				a.await(t, parts[0], strings.Trim(parts[1], "'"))
			}
			err := opened(a.address(tt.user, tt.db)+tt.more, tt.alone)
			if tt.says == "" && err != nil || tt.says != "" && (!errors.Is(err, postgres.ErrServer) || !strings.Contains(err.Error(), tt.says)) {
				t.Errorf("Open() = %v, want %q", err, tt.says)
			}
		})
	}
}

func opened(url string, alone bool) error {
	s, err := postgres.Open(context.Background(), url, postgres.Options{Alone: alone, Logger: quiet, RetryFor: time.Second})
	if s != nil {
		_ = s.Close()
	}
	return err
}

func (a *alone) address(user, db string) string {
	if user == "" {
		user = "livery"
	}
	if db == "" {
		db = "postgres"
	}
	return fmt.Sprintf("postgres://%s@127.0.0.1:%d/%s?sslmode=disable", user, a.Port, db)
}

// set gives the server a setting and waits until it counts.
func (a *alone) set(t *testing.T, name, value string) {
	t.Helper()
	a.run(t, fmt.Sprintf("ALTER SYSTEM SET %s = '%s'", name, value))
	a.await(t, name, value)
}

// await reloads the settings and waits until new connections have one.
func (a *alone) await(t *testing.T, name, want string) {
	t.Helper()
	a.run(t, "SELECT pg_reload_conf()")
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		var got string
		conn, err := a.Connect()
		if err == nil {
			err = conn.QueryRow(context.Background(), "SELECT current_setting($1)", name).Scan(&got)
			_ = conn.Close(context.Background())
		}
		if err == nil && got == want {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s is %q, want %q: %v", name, got, want, err)
		}
	}
}

// A password in the address stands in no error.
func TestAPasswordIsNeverShown(t *testing.T) {
	const secret = "Ten-Green-Bottles"
	for _, url := range []string{
		"postgres://livery:" + secret + "@127.0.0.1:1/postgres?sslmode=disable",
		"postgres://livery:" + secret + "@127.0.0.1:x/postgres",
		"postgres://livery:" + secret + "@127.0.0.1:1/postgres?sslmode=what",
		"postgres://livery@127.0.0.1:1/postgres?sslmode=disable&password=" + secret,
		"postgres://livery@127.0.0.1:1/postgres?sslmode=what&password=" + secret,
		"postgres://livery:" + secret + "%zz@127.0.0.1:1/postgres",
	} {
		_, err := postgres.Open(context.Background(), url, postgres.Options{RetryFor: time.Millisecond, Logger: quiet})
		if err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("Open() = %v", err)
		}
		if got := postgres.Redact(url); strings.Contains(got, secret) {
			t.Errorf("Redact() = %q", got)
		}
	}
}

func TestRedactNamesTheServer(t *testing.T) {
	got := postgres.Redact("postgres://livery:secret@a:5432,b:5433/store?sslmode=require&password=x")
	if want := "postgres://livery@a:5432,b:5433/store"; got != want {
		t.Errorf("Redact() = %q, want %q", got, want)
	}
}

func TestAnAddressWithoutAServerIsUnavailable(t *testing.T) {
	_, err := postgres.Open(context.Background(), "postgres://livery@127.0.0.1:1/postgres?sslmode=disable", postgres.Options{RetryFor: time.Millisecond, Logger: quiet})
	if !errors.Is(err, storage.ErrUnavailable) {
		t.Errorf("Open() = %v, want ErrUnavailable", err)
	}
}
