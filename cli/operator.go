package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/livery/origin/operator"
)

const socketName = "operator.sock"

// operatorFlags gives a command of the operator the flags that find the socket.
func (a *app) operatorFlags(cmd *cobra.Command) *cobra.Command {
	cmd.PersistentFlags().StringVar(&a.dataDir, "data", defaultData, "data `DIR`ectory of the origin")
	cmd.PersistentFlags().StringVar(&a.socket, "operator-socket", "", "`PATH` of the operator socket (default: "+socketName+" in the data directory)")
	cmd.PersistentFlags().StringVar(&a.as, "as", "", "`NAME` by which the audit log knows you, beside your user on this machine (default: $SUDO_USER)")
	return cmd
}

// operator returns the client of the operator socket that the flags name.
func (a *app) operator() *operatorClient {
	path := a.socket
	if path == "" {
		path = filepath.Join(a.dataDir, socketName)
	}
	o := newOperatorClient(path)
	o.as = cmp.Or(a.as, os.Getenv("SUDO_USER"))
	return o
}

// operatorClient asks the origin through its operator socket.
type operatorClient struct {
	path string
	as   string // the name for the audit log; empty: none
	http *http.Client
}

func newOperatorClient(path string) *operatorClient {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", path)
	}
	return &operatorClient{path: path, http: &http.Client{
		Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true},
		Timeout:   30 * time.Second,
	}}
}

// refusal is what the operator socket answers where it refuses.
type refusal struct {
	status   int
	Cause    string   `json:"cause"`
	Messages []string `json:"messages"`
}

func (r *refusal) Error() string {
	if len(r.Messages) == 0 {
		return fmt.Sprintf("the origin answers %d %s", r.status, r.Cause)
	}
	return strings.Join(r.Messages, "; ")
}

// call sends body as JSON, unless it is nil, and decodes the answer into out.
func (o *operatorClient) call(ctx context.Context, method, path string, body, out any) error {
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
	if o.as != "" {
		req.Header.Set(operator.AsHeader, o.as)
	}
	res, err := o.http.Do(req)
	if err != nil {
		return o.unreachable(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		r := &refusal{status: res.StatusCode}
		if err := json.NewDecoder(res.Body).Decode(r); err != nil {
			r.Cause = http.StatusText(res.StatusCode)
		}
		if slices.Contains(r.Messages, operator.Keyless) {
			return fail("Start the origin with --master-key-file FILE or LIVERY_MASTER_KEY; openssl rand -base64 48 makes a key.", "%s", operator.Keyless)
		}
		return r
	}
	if err := json.NewDecoder(res.Body).Decode(out); err != nil {
		return fmt.Errorf("read what the operator socket answers: %w", err)
	}
	return nil
}

func (o *operatorClient) unreachable(err error) error {
	if e, ok := errors.AsType[*net.OpError](err); ok {
		return fail("Start livery dev or livery origin, or name its data directory with --data.",
			"no origin answers on the operator socket %s: %s", o.path, e.Err)
	}
	return err
}

// themeCall is call for a path below a Theme.
func (o *operatorClient) themeCall(ctx context.Context, method, themeID, path string, body, out any) error {
	err := o.call(ctx, method, "themes/"+url.PathEscape(themeID)+"/"+path, body, out)
	if r, ok := errors.AsType[*refusal](err); ok && r.status == http.StatusNotFound {
		return fail("Take the id, not the slug: livery theme list shows it.", "there is no Theme or key of this id: %s", themeID)
	}
	return err
}
