package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"example.com/livery/origin/operator"
	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
)

// storeSocketName is the socket by which a running origin works on its own store for the operator: mode
// 0600 in the data directory, never a public route.
const storeSocketName = "store.sock"

// What is done with a store.
const (
	backUpStore = "backup"
	checkStore  = "check"
)

// storeEvent is one line of what work on a store tells. Exactly one of its parts is set.
type storeEvent struct {
	Progress *storeProgress   `json:"progress,omitempty"`
	Finding  *storage.Finding `json:"finding,omitempty"`
	BackedUp *pebble.BackedUp `json:"backedUp,omitempty"` // the end of a backup
	Checked  *storage.Checked `json:"checked,omitempty"`  // the end of a check
	Fault    string           `json:"fault,omitempty"`    // what stopped the work
}

// storeProgress is how far a piece of the work is.
type storeProgress struct {
	Doing string `json:"doing"`
	Done  int64  `json:"done"`
	All   int64  `json:"all"`
}

// workOnStore does a piece of work and tells how it goes. to is the directory of a backup.
func workOnStore(ctx context.Context, store *pebble.Store, work, to string, tell func(storeEvent)) {
	progress := func(doing string, done, all int64) { tell(storeEvent{Progress: &storeProgress{doing, done, all}}) }
	var end storeEvent
	var err error
	switch work {
	case backUpStore:
		var done pebble.BackedUp
		done, err = store.Backup(ctx, to, progress)
		end.BackedUp = &done
	case checkStore:
		var done storage.Checked
		done, err = storage.CheckStore(ctx, store, progress, func(f storage.Finding) { tell(storeEvent{Finding: &f}) })
		end.Checked = &done
	}
	if err != nil {
		end = storeEvent{Fault: err.Error()}
	}
	tell(end)
}

// serveStore lets the operator work on the store of a running origin.
func (r *run) serveStore(data string, store *pebble.Store) error {
	l, err := operator.Listen(filepath.Join(data, storeSocketName))
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	for _, work := range []string{backUpStore, checkStore} {
		mux.HandleFunc("POST /"+work, func(w http.ResponseWriter, req *http.Request) {
			encode, flush := json.NewEncoder(w), http.NewResponseController(w)
			workOnStore(req.Context(), store, work, req.URL.Query().Get("to"), func(e storeEvent) {
				_ = encode.Encode(e) // whoever has gone away ends the work by the context
				_ = flush.Flush()
			})
		})
	}
	server := &http.Server{Handler: mux}
	r.onClose(func(context.Context) error { return server.Close() })
	r.serve(func() error {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	return nil
}

// askStore does a piece of work on the store of a data directory: by the origin that runs on it, or on the
// store itself where none does.
func (a *app) askStore(ctx context.Context, data, work, to string, tell func(storeEvent)) error {
	socket := filepath.Join(data, storeSocketName)
	conn, err := net.Dial("unix", socket)
	if err == nil {
		_ = conn.Close()
		return askRunning(ctx, socket, work, to, tell)
	}
	if _, err := os.Stat(filepath.Join(data, "store")); err != nil {
		return fail("Name the data directory of an origin.", "%s holds no store: %s", data, reason(err))
	}
	log, err := a.logger("error", false)
	if err != nil {
		return err
	}
	r := newRun(log)
	_, err = r.openData(data)
	if err == nil {
		var store *pebble.Store
		if store, err = r.openStore(originSetup{data: data, log: log}); err == nil {
			workOnStore(ctx, store, work, to, tell)
		}
	}
	return errors.Join(err, r.close())
}

// askRunning asks a running origin.
func askRunning(ctx context.Context, socket, work, to string, tell func(storeEvent)) error {
	o := newOperatorClient(socket)
	o.http.Timeout = 0 // a large store takes its time
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://store/"+work+"?to="+url.QueryEscape(to), nil)
	if err != nil {
		return err
	}
	res, err := o.http.Do(req)
	if err != nil {
		return fail("Look at the log of the origin.", "the running origin does not answer: %v", err)
	}
	defer res.Body.Close()
	for decode := json.NewDecoder(res.Body); ; {
		var e storeEvent
		if err := decode.Decode(&e); err != nil {
			return fail("Look at the log of the origin.", "the running origin ended in the middle: %v", err)
		}
		tell(e)
		if e.BackedUp != nil || e.Checked != nil || e.Fault != "" {
			return nil
		}
	}
}

// isMissing reports whether nothing is there.
func isMissing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}
