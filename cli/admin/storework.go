package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"time"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/localfile"
	"example.com/livery/cli/process"
	"example.com/livery/cli/term"
	"example.com/livery/httpd/guard"
	"example.com/livery/origin"
	"example.com/livery/origin/operator"
	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
	"example.com/livery/storage/record"
)

// storeSocketName is the socket by which a running origin works on its own store for the operator: mode
// 0600 in the data directory, never a public route.
const storeSocketName = "store.sock"

// What is done with a store.
const (
	backUpStore  = "backup"
	checkStore   = "check"
	collectStore = "collect"
	collectDry   = "collect-dry-run"
)

// storeEvent is one line of what work on a store tells. Exactly one of its parts is set.
type storeEvent struct {
	Progress *storeProgress       `json:"progress,omitempty"`
	Finding  *storage.Finding     `json:"finding,omitempty"`
	BackedUp *pebble.BackupResult `json:"backedUp,omitempty"` // the end of a backup
	Checked  *storage.CheckResult `json:"checked,omitempty"`  // the end of a check
	Fault    string               `json:"fault,omitempty"`    // what stopped the work

	Collected *storage.CollectResult `json:"collected,omitempty"` // the end of a collection
}

// storeProgress is how far a piece of the work is.
type storeProgress struct {
	Doing string `json:"doing"`
	Done  int64  `json:"done"`
	All   int64  `json:"all"`
}

// auditFunc writes an entry into the audit log.
type auditFunc func(ctx context.Context, a record.Audit) error

// workOnStore does a piece of work and tells how it goes. to is the directory of a backup. A backup that
// is taken is told of even if the disk has no room for its entry in the audit log, which is logged.
// o is the origin that runs on the store, nil if none does.
func workOnStore(ctx context.Context, store storage.Store, o *origin.Origin, work, to string, audit auditFunc, report func(storeEvent)) {
	progress := func(doing string, done, all int64) { report(storeEvent{Progress: &storeProgress{doing, done, all}}) }
	var end storeEvent
	var err error
	switch work {
	case backUpStore:
		var done pebble.BackupResult
		embedded, ok := store.(*pebble.Store)
		if !ok {
			report(storeEvent{Fault: errBackUpServer.Error()})
			return
		}
		done, err = embedded.Backup(ctx, to, progress)
		end.BackedUp = &done
		if err == nil {
			entry := record.Audit{Action: operator.ActionBackup, Target: to, Changes: []string{"backup " + done.Backup.Name + " is taken, with every secret of the store as it is stored"}}
			if fault := audit(ctx, entry); fault != nil {
				slog.Warn("a backup is not in the audit log", "backup", done.Backup.Name, "error", fault)
			}
		}
	case checkStore:
		var done storage.CheckResult
		done, err = storage.CheckStore(ctx, store, progress, func(f storage.Finding) { report(storeEvent{Finding: &f}) })
		end.Checked = &done
	case collectStore, collectDry:
		var done storage.CollectResult
		done, err = collectWith(ctx, store, o, work == collectDry, progress)
		end.Collected = &done
		if err == nil && done.Dropped > 0 && work == collectStore {
			err = audit(ctx, record.Audit{Action: operator.ActionCollect, Target: "store", Changes: []string{
				fmt.Sprintf("%d blobs that nothing names are dropped, %d bytes", done.Dropped, done.DroppedBytes),
			}})
		}
	}
	if err != nil {
		end = storeEvent{Fault: err.Error()}
	}
	report(end)
}

// errBackUpServer refuses to back up a store that is a server's.
var errBackUpServer = errors.New("the store is a PostgreSQL: back it up with its own tools (pg_basebackup and archived logs), " +
	"or copy it with livery store migrate --from URL --to DIR while no origin runs")

// peerKey finds the operator among the values of a request's context.
type peerKey struct{}

// ServeStore lets the operator work on the store of a running origin, which notes it, over so many connections at most.
func ServeStore(r *process.Run, data string, connections int, store storage.Store, o *origin.Origin) error {
	l, err := operator.Listen(filepath.Join(data, storeSocketName))
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	for _, work := range []string{backUpStore, checkStore, collectStore, collectDry} {
		mux.HandleFunc("POST /"+work, func(w http.ResponseWriter, req *http.Request) {
			encode, flush := json.NewEncoder(w), http.NewResponseController(w)
			by, _ := req.Context().Value(peerKey{}).(record.Actor)
			audit := func(ctx context.Context, a record.Audit) error { return o.Note(ctx, by, a) }
			workOnStore(req.Context(), store, o, work, req.URL.Query().Get("to"), audit, func(e storeEvent) {
				_ = encode.Encode(e) // a client that went away ends the work by the context
				_ = flush.Flush()
			})
		})
	}
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, ErrorLog: slog.NewLogLogger(r.Log.Handler(), slog.LevelDebug), ConnContext: func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, peerKey{}, operator.PeerOf(c))
	}}
	r.OnClose(func(context.Context) error { return server.Close() })
	r.Serve(func() error {
		if err := server.Serve(guard.Limited(guard.Patient(l, r.Log), connections)); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	return nil
}

// askStore does a piece of work on a store: by the origin that runs on the data directory, or on the store itself, beside the
// origins that use a PostgreSQL.
func (a *app) askStore(ctx context.Context, name, work, to string, report func(storeEvent)) error {
	if cmdline.IsStoreURL(name) {
		if work == backUpStore {
			return &term.Failure{Sentence: errBackUpServer.Error(), Cause: errBackUpServer}
		}
	} else {
		socket := filepath.Join(name, storeSocketName)
		if conn, err := net.Dial("unix", socket); err == nil {
			_ = conn.Close()
			return askRunning(ctx, socket, work, to, report)
		}
		if _, err := os.Stat(filepath.Join(name, "store")); err != nil {
			return term.Fail("Name the data directory of an origin. If its store is in a PostgreSQL, start the origin or give the address of that.", "%s holds no store: %s", name, localfile.Reason(err))
		}
	}
	log, err := process.Logger(a.App, "error", false)
	if err != nil {
		return err
	}
	r := process.New(log)
	store, err := openAlone(r, name, log)
	if err == nil {
		workOnStore(ctx, store, nil, work, to, ownAudit(store), report)
	}
	return errors.Join(err, r.Close())
}

// ownAudit writes into the audit log of a store on which no origin runs, in the name of this process.
func ownAudit(store storage.Store) auditFunc {
	uid := os.Getuid()
	by := record.Actor{Kind: operator.KindOperator, UID: &uid, PID: os.Getpid(), As: os.Getenv("SUDO_USER")}
	if u, err := user.Current(); err == nil {
		by.Login = u.Username
	}
	return func(ctx context.Context, a record.Audit) error {
		return operator.Note(operator.On(ctx, operator.Behalf{By: by}), store, time.Now(), a)
	}
}

// askRunning asks a running origin.
func askRunning(ctx context.Context, socket, work, to string, report func(storeEvent)) error {
	o := NewSocket(socket)
	o.http.Timeout = 0 // a large store takes its time
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://store/"+work+"?to="+url.QueryEscape(to), nil)
	if err != nil {
		return err
	}
	res, err := o.http.Do(req)
	if err != nil {
		return term.Fail("Look at the log of the origin.", "the running origin does not answer: %v", err)
	}
	defer res.Body.Close()
	for decode := json.NewDecoder(res.Body); ; {
		var e storeEvent
		if err := decode.Decode(&e); err != nil {
			return term.Fail("Look at the log of the origin.", "the running origin stopped before it was done: %v", err)
		}
		report(e)
		if e.BackedUp != nil || e.Checked != nil || e.Collected != nil || e.Fault != "" {
			return nil
		}
	}
}
