package stories

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// receive is the command receive: it sets a variable to the address of a server that answers each request with the status that
// is its path.
func receive(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: receive NAME")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		if err != nil || r.Header.Get("webhook-signature") == "" {
			status = http.StatusNotFound
		}
		w.WriteHeader(status)
	}))
	ts.Defer(server.Close)
	ts.Setenv(args[0], server.URL)
}
