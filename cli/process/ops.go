package process

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"example.com/livery/httpd/guard"
)

// NewRegistry returns a registry with the metrics of the process itself.
func (r *Run) NewRegistry() *prometheus.Registry {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "livery_log_lines_dropped_total", Help: "Lines of the log that could not be written because its reader was away or too slow.",
		}, func() float64 { return float64(r.dropped()) }),
	)
	return registry
}

// checks say whether the servers of a run would answer.
type checks struct{ reads, all []func() error }

// SetReady has /readyz answer what the functions say from now on. reads says whether everything that changes nothing
// would be answered; nil: ready says that too.
func (r *Run) SetReady(reads func() error, ready ...func() error) {
	c := &checks{ready, ready}
	if reads != nil {
		c.reads = []func() error{reads}
	}
	r.checks.Store(c)
}

// The operations listener's limits, which leave time for a profile.
const (
	opsIdle  = 3 * time.Minute
	opsGrace = 250 * time.Millisecond // for its requests in progress when the process ends
)

// OpsServer answers /metrics, /healthz, /readyz, /readyz/reads and /debug/pprof on l, on so many connections at most. It
// shows how the process is doing to every client that reaches it: its listener must be one that only the operator
// reaches. It answers from before the other servers start, as unready until SetReady is called, until they have ended.
func (r *Run) OpsServer(l net.Listener, connections int, metrics prometheus.Gatherer) {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(metrics, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "alive") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		r.answerReady(w, func(c *checks) []func() error { return c.all })
	})
	mux.HandleFunc("GET /readyz/reads", func(w http.ResponseWriter, _ *http.Request) {
		r.answerReady(w, func(c *checks) []func() error { return c.reads })
	})
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: opsIdle, ErrorLog: slog.NewLogLogger(r.Log.Handler(), slog.LevelDebug)}
	r.OnClose(func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, opsGrace)
		defer cancel()
		_ = server.Shutdown(ctx)
		return server.Close()
	})
	r.Serve(func() error {
		if err := server.Serve(guard.Limited(guard.Patient(l, r.Log), connections)); err != http.ErrServerClosed {
			return fmt.Errorf("serve metrics on %s: %w", l.Addr(), err)
		}
		return nil
	})
}

// answerReady answers whether the checks that which chooses hold.
func (r *Run) answerReady(w http.ResponseWriter, which func(*checks) []func() error) {
	if err := r.ready(which); err != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprintln(w, err)
		return
	}
	fmt.Fprintln(w, "ready")
}

func (r *Run) ready(which func(*checks) []func() error) error {
	c := r.checks.Load()
	switch {
	case r.ending.Load():
		return errors.New("ending")
	case c == nil:
		return errors.New("starting")
	}
	for _, check := range which(c) {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}
