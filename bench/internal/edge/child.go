//go:build linux

package edge

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/pprof"
	"strconv"
	"syscall"
	"time"

	"example.com/livery/edge/loop"
	"github.com/valyala/fasthttp"
)

// site is the files as fasthttp's handler and as the loop's source.
type site map[string]*file

type file struct {
	plain, zipped, unchanged loop.Answer
	etag                     string
}

func readSite(dir string) (site, error) {
	s := site{}
	for name, size := range fileSizes {
		f := &file{etag: `"` + strconv.Itoa(size) + `"`}
		for _, form := range []struct {
			into           *loop.Answer
			suffix, coding string
		}{{&f.plain, "", ""}, {&f.zipped, ".gz", "Content-Encoding: gzip\r\n"}} {
			body, err := os.ReadFile(filepath.Join(dir, name+form.suffix))
			if err != nil {
				return nil, err
			}
			*form.into = loop.Answer{Body: body, Head: fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: text/css; charset=utf-8\r\n%sContent-Length: %d\r\n%sAccept-Ranges: bytes\r\n", form.coding, len(body), f.lines())}
		}
		f.unchanged = loop.Answer{Head: fmt.Appendf(nil, "HTTP/1.1 304 Not Modified\r\n%s", f.lines())}
		s["/"+name] = f
	}
	return s, nil
}

// headers are what every answer carries.
func (f *file) headers() [][2]string {
	return [][2]string{
		{"X-Content-Type-Options", "nosniff"},
		{"Vary", "Accept-Encoding"},
		{"Access-Control-Allow-Origin", "*"},
		{"Cache-Control", "public, max-age=31536000, immutable"},
		{"ETag", f.etag},
	}
}

func (f *file) lines() (lines string) {
	for _, h := range f.headers() {
		lines += h[0] + ": " + h[1] + "\r\n"
	}
	return lines
}

// Ready implements loop.Source.
func (s site) Ready(r *loop.Request) (loop.Answer, bool) {
	f := s[string(r.Path)]
	switch {
	case f == nil || r.Range != nil:
		return loop.Answer{}, false
	case string(r.IfNoneMatch) == f.etag:
		return f.unchanged, true
	case string(r.AcceptEncoding) == "gzip":
		return f.zipped, true
	}
	return f.plain, true
}

// answer returns the status and the body for a path, a validator and the codings that a client accepts, and sets headers.
func (s site) answer(path, validator, accepts string, set func(name, value string)) (status int, body []byte) {
	f := s[path]
	if f == nil {
		return http.StatusNotFound, nil
	}
	for _, line := range f.headers() {
		set(line[0], line[1])
	}
	if validator == f.etag {
		return http.StatusNotModified, nil
	}
	set("Accept-Ranges", "bytes")
	set("Content-Type", "text/css; charset=utf-8")
	if accepts == "gzip" {
		set("Content-Encoding", "gzip")
		return http.StatusOK, f.zipped.Body
	}
	return http.StatusOK, f.plain.Body
}

func (s site) handle(ctx *fasthttp.RequestCtx) {
	asked := &ctx.Request.Header
	status, body := s.answer(string(ctx.Path()), string(asked.Peek("If-None-Match")), string(asked.Peek("Accept-Encoding")), ctx.Response.Header.Set)
	ctx.SetStatusCode(status)
	ctx.Response.SetBodyRaw(body)
}

// ServeHTTP answers as net/http alone would.
func (s site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	status, body := s.answer(r.URL.Path, r.Header.Get("If-None-Match"), r.Header.Get("Accept-Encoding"), h.Set)
	if status == http.StatusOK {
		h.Set("Content-Length", strconv.Itoa(len(body)))
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that is gone misses it
}

// ServeChild serves the files of a folder as one of our own servers, on an address that it prints, until SIGTERM. The
// arguments are the server's name, the folder, and a file for a CPU profile, empty for none.
func ServeChild(arguments []string) error {
	if len(arguments) != 3 {
		return errors.New("a server, a folder and the file of a profile are needed")
	}
	name, dir, profile := arguments[0], arguments[1], arguments[2]
	s, err := readSite(dir)
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &fasthttp.Server{
		Handler: s.handle, NoDefaultServerHeader: true, NoDefaultContentType: true,
		ReadBufferSize: 16 << 10, WriteBufferSize: 32 << 10,
		ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute,
	}
	fmt.Println(ln.Addr())
	switch name {
	case "fasthttp":
		return server.Serve(ln)
	case "net/http":
		return http.Serve(ln, s)
	}
	if profile != "" {
		f, err := os.Create(profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	l, err := loop.New(loop.Config{Source: s, Server: server})
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, func() { _ = l.Shutdown(context.Background()) })
	return l.Serve(ln)
}
