package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"example.com/livery/cli/term"
	"example.com/livery/origin/operator"
)

// SocketName is the file name of the operator socket in a data directory.
const SocketName = "operator.sock"

// Socket calls the operator socket of an origin.
type Socket struct {
	path string
	http *http.Client
}

// NewSocket returns the operator socket at path.
func NewSocket(path string) *Socket {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", path)
	}
	return &Socket{path: path, http: &http.Client{
		Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true},
		Timeout:   30 * time.Second,
	}}
}

// Refusal is what the operator socket answers if it refuses.
type Refusal struct {
	Status   int      `json:"-"` // of the answer
	Cause    string   `json:"cause"`
	Messages []string `json:"messages"`
}

func (r *Refusal) Error() string {
	if len(r.Messages) == 0 {
		return fmt.Sprintf("the origin answers %d %s", r.Status, r.Cause)
	}
	return strings.Join(r.Messages, "; ")
}

// Call sends body as JSON, unless it is nil, and decodes the answer into out.
func (o *Socket) Call(ctx context.Context, method, path string, body, out any) error {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://operator/operator/v1/"+path, sent)
	if err != nil {
		return err
	}
	if as := os.Getenv("SUDO_USER"); as != "" {
		req.Header.Set(operator.AsHeader, as)
	}
	res, err := o.http.Do(req)
	if err != nil {
		return o.unreachable(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		r := &Refusal{Status: res.StatusCode}
		if err := json.NewDecoder(res.Body).Decode(r); err != nil {
			r.Cause = http.StatusText(res.StatusCode)
		}
		if slices.Contains(r.Messages, operator.Keyless) {
			return term.Fail("Start the origin with --master-key-file FILE or LIVERY_MASTER_KEY; openssl rand -base64 48 makes a key.", "%s", operator.Keyless)
		}
		return r
	}
	if err := json.NewDecoder(res.Body).Decode(out); err != nil {
		return fmt.Errorf("read what the operator socket answers: %w", err)
	}
	return nil
}

func (o *Socket) unreachable(err error) error {
	if e, ok := errors.AsType[*net.OpError](err); ok {
		return term.Fail("Start livery dev or livery origin, or name its data directory with --data.",
			"no origin answers on the operator socket %s: %s", o.path, e.Err)
	}
	return err
}

// callTheme is Call for a path below a Theme, named by id or slug. env is the id or slug of its Environment; empty: any.
func (o *Socket) callTheme(ctx context.Context, method, env, theme, path string, body, out any) error {
	err := o.Call(ctx, method, "themes/"+url.PathEscape(theme)+"/"+path+"?env="+url.QueryEscape(env), body, out)
	if r, ok := errors.AsType[*Refusal](err); ok && r.Status == http.StatusNotFound {
		return term.Fail("See livery theme list.", "no such Theme or key: %s", theme)
	}
	return err
}
