package management

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"example.com/livery/client"
	"example.com/livery/origin"
	"example.com/livery/origin/auth"
	"example.com/livery/origin/operator"
	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
	"example.com/livery/storage/record"
	"example.com/livery/wasm"
)

// subject is whom every token speaks for.
const subject = "bench"

// server is an origin over a store, on a socket of the loopback.
type server struct {
	dir          string // of an embedded store, removed in the end; "" if there is none
	store        storage.Store
	origin       *origin.Origin
	served       chan error // what the server returned
	base, token  string
	environments []string // ids
	http         *http.Client
	api          *client.Client // for what is not measured
}

// open starts an origin with so many Environments. fs nil means the disk as it is. The caller must
// close it.
func (b *bench) open(ctx context.Context, fs vfs.FS, environments int) (*server, error) {
	dir, err := os.MkdirTemp(b.dir, "livery-management-")
	if err != nil {
		return nil, err
	}
	h := &server{dir: dir}
	store, err := pebble.Open(dir, pebble.Options{FS: fs, Logger: slog.New(slog.DiscardHandler)})
	if err == nil {
		h.store = store
		err = h.start(ctx, environments)
	}
	if err != nil {
		return nil, errors.Join(err, h.close(ctx))
	}
	return h, nil
}

// start makes so many Environments in the store and serves them.
func (h *server) start(ctx context.Context, environments int) (err error) {
	if h.environments, err = makeTeam(ctx, h.store, environments); err != nil {
		return err
	}
	if err := h.serve(ctx, ""); err != nil {
		return err
	}
	return h.connect()
}

// join serves the Environments of another origin, whose token is good here too.
func (h *server) join(ctx context.Context, other *server) error {
	h.environments, h.token = other.environments, other.token
	if err := h.serve(ctx, other.base); err != nil {
		return err
	}
	h.call()
	return nil
}

// serve starts the origin. public is its address for tokens; empty means the one that it listens on.
func (h *server) serve(ctx context.Context, public string) error {
	guest, err := wasm.Guest()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	h.base = "http://" + listener.Addr().String()
	public = cmp.Or(public, h.base)
	h.origin, err = origin.New(ctx, origin.Config{
		Store: h.store, PublicURL: public, CDNURL: public, Logger: slog.New(slog.DiscardHandler),
		Guest: guest,
	})
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	h.served = make(chan error, 1)
	go func() { h.served <- h.origin.ServePublic(listener) }()
	return nil
}

// connect makes the token and the clients.
func (h *server) connect() (err error) {
	if h.token, _, err = h.origin.Keys().Issue(auth.Order{Subject: subject, TTL: time.Hour}); err != nil {
		return err
	}
	h.call()
	return nil
}

// call makes the clients.
func (h *server) call() {
	h.http = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}}
	h.api = client.New(h.base, h.token)
	h.api.HTTP = h.http
}

// makeTeam makes one Team with so many Environments and returns their ids.
func makeTeam(ctx context.Context, store storage.Store, environments int) (ids []string, err error) {
	team := operator.TeamEntry{Slug: "bench", Plan: record.Pro, Members: []string{subject}}
	for i := range environments {
		team.Environments = append(team.Environments, operator.EnvironmentEntry{
			Slug: "e" + strconv.Itoa(i), DisplayName: "Environment", Kind: "sandbox", CacheLifetime: 60,
			Grants: map[string]record.Role{subject: record.Admin},
		})
	}
	if _, err := operator.Apply(ctx, store, operator.TeamsFile{Teams: []operator.TeamEntry{team}}, false, time.Now()); err != nil {
		return nil, err
	}
	teams, err := operator.Teams(ctx, store)
	if err != nil {
		return nil, err
	}
	for _, e := range teams.Teams[0].Environments {
		ids = append(ids, e.ID)
	}
	return ids, nil
}

// close ends what was started and removes the store.
func (h *server) close(ctx context.Context) error {
	var errs []error
	if h.http != nil {
		h.http.CloseIdleConnections()
	}
	if h.origin != nil {
		errs = append(errs, h.origin.Shutdown(context.WithoutCancel(ctx)))
	}
	if h.served != nil {
		errs = append(errs, <-h.served)
	}
	if h.store != nil {
		errs = append(errs, h.store.Close())
	}
	if h.dir != "" {
		errs = append(errs, os.RemoveAll(h.dir))
	}
	return errors.Join(errs...)
}

// answer is what came back, with its body read and dropped.
type answer struct {
	etag string
	size int64 // of the body, in bytes
	took time.Duration
}

// send sends one request below an Environment's address and reads the answer to its end: an error
// if it is not 200.
func (h *server) send(ctx context.Context, method, path string, body []byte) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, method, h.base+"/public/v1/environments/"+path, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Authorization", "Bearer "+h.token)
	began := time.Now()
	res, err := h.http.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(res.Body, 1000))
		return answer{}, fmt.Errorf("%s %s answered %s: %s", method, path, res.Status, text)
	}
	size, err := io.Copy(io.Discard, res.Body)
	return answer{strings.Trim(res.Header.Get("ETag"), `"`), size, time.Since(began)}, err
}
