package tokens

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"example.com/livery/cli/localfile"
	"example.com/livery/cli/page"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokens/source"
)

// livePage is a page that is drawn anew on every change of what it shows. It is safe for concurrent use.
type livePage struct {
	draw drawPage

	mu      sync.Mutex // guards content, changed and digest
	content []byte
	digest  string
	changed chan struct{} // closed with the next change
}

// servePage serves a page until ctx ends. It follows changes of files, and asks an origin every second.
func (a *app) servePage(ctx context.Context, listen string, draw drawPage) error {
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return term.Fail("Name another with --listen, HOST:PORT.", "the address %s cannot be listened on: %s", listen, localfile.Reason(err))
	}
	p := &livePage{draw: draw, changed: make(chan struct{})}
	files, err := p.redraw(ctx)
	if err != nil { // a first fault is told, a later one is shown in the page
		_ = l.Close()
		return err
	}
	server := &http.Server{Handler: p.handler(l.Addr().String()), ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	address := "http://" + l.Addr().String() + "/"
	a.Say("The page is at %s until Ctrl-C.", address)
	if term.IsTerminal(a.Out) {
		_ = term.Browse(address) // a user without a browser reads the address
	}
	go p.follow(ctx, files)
	if err := server.Serve(l); err != http.ErrServerClosed {
		return fmt.Errorf("serve the page: %w", err)
	}
	return nil
}

// redraw reads and draws everything anew.
func (p *livePage) redraw(ctx context.Context) (*source.Source, error) {
	in, s, err := p.draw(ctx)
	if err != nil {
		in = emptyPage(err)
	}
	in.Live = true
	content := page.Append(nil, in)
	p.mu.Lock()
	defer p.mu.Unlock()
	if !bytes.Equal(content, p.content) {
		close(p.changed)
		p.changed = make(chan struct{})
		p.content, p.digest = content, fmt.Sprintf("%x", sha256.Sum256(content))
	}
	return s, err
}

// follow redraws whenever a file of s changes, or every second if s is nil, until ctx ends. The page itself shows what is wrong.
func (p *livePage) follow(ctx context.Context, s *source.Source) {
	for {
		if s == nil {
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		} else {
			s.Changed(ctx)
		}
		if ctx.Err() != nil {
			return
		}
		if again, _ := p.redraw(ctx); again != nil {
			s = again
		}
	}
}

func (p *livePage) state() (content []byte, digest string, changed chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.content, p.digest, p.changed
}

// handler answers for the page and its changes, to requests that name this server: another
// name that leads here gets nothing.
func (p *livePage) handler(address string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		content, _, _ := p.state()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		_, _ = w.Write(content)
	})
	mux.HandleFunc("GET /changes", p.sendChanges)
	_, port, _ := net.SplitHostPort(address)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != address && r.Host != net.JoinHostPort("localhost", port) {
			http.Error(w, "this page is at "+address, http.StatusMisdirectedRequest)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// sendChanges sends the digest of the page now and after every change.
func (p *livePage) sendChanges(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	flush := http.NewResponseController(w)
	for {
		_, digest, changed := p.state()
		if _, err := fmt.Fprintf(w, "data: %s\n\n", digest); err != nil {
			return
		}
		if flush.Flush() != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-changed:
		}
	}
}
