package process

import (
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// NewRegistry returns a registry with the metrics of the process itself.
func NewRegistry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

// OpsServer answers /metrics, /healthz, /readyz, /readyz/reads and /debug/pprof on l. It shows how the
// process is doing to every client that reaches it: its listener must be one that only the operator reaches. reads
// says whether everything that changes nothing would be answered; nil: ready says that too.
func (r *Run) OpsServer(l net.Listener, metrics prometheus.Gatherer, reads func() error, ready ...func() error) {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(metrics, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "alive") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) { answerReady(w, ready) })
	toRead := ready
	if reads != nil {
		toRead = []func() error{reads}
	}
	mux.HandleFunc("GET /readyz/reads", func(w http.ResponseWriter, _ *http.Request) { answerReady(w, toRead) })
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	r.OnClose(server.Shutdown)
	r.Serve(func() error {
		if err := server.Serve(l); err != http.ErrServerClosed {
			return fmt.Errorf("serve metrics on %s: %w", l.Addr(), err)
		}
		return nil
	})
}

func answerReady(w http.ResponseWriter, ready []func() error) {
	for _, check := range ready {
		if err := check(); err != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprintln(w, err)
			return
		}
	}
	fmt.Fprintln(w, "ready")
}
