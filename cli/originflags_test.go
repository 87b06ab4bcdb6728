package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The flags of an origin that change what callers of the API are answered reach it: a limit of their requests, and the pages
// that may call it.
func TestFlagsOfAnOriginReachTheAPI(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "livery-") // the path of its socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	ctx, stop := context.WithCancel(context.Background())
	ended, said := make(chan error, 1), &bytes.Buffer{}
	go func() {
		ended <- testApp(strings.NewReader(""), said, said).runLine(ctx, "origin", "--data", dir, "--listen", "127.0.0.1:0", "--feed-listen", "127.0.0.1:0",
			"--ops-listen", "127.0.0.1:0", "--requests-per-second", "2", "--cors-origin", "https://app.example")
	}()
	t.Cleanup(func() {
		stop()
		<-ended
	})
	var file struct{ APIURL, OperatorSocket string }
	for deadline := time.Now().Add(time.Minute); file.APIURL == ""; time.Sleep(5 * time.Millisecond) {
		if text, err := os.ReadFile(filepath.Join(dir, "origin.json")); err == nil {
			_ = json.Unmarshal(text, &file) // it may be half there
		}
		if time.Now().After(deadline) {
			t.Fatal("the origin does not answer")
		}
	}
	var token bytes.Buffer
	if err := testApp(strings.NewReader(""), &token, io.Discard).runLine(ctx, "token", "--data", dir, "--subject", "anyone"); err != nil {
		t.Fatal(err)
	}
	statuses := map[int]int{}
	for n := 0; n < 500 && statuses[429] == 0; n++ {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, file.APIURL+"/environments", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(token.String()))
		request.Header.Set("Origin", "https://app.example")
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		statuses[answer.StatusCode]++
		if answer.Header.Get("RateLimit-Policy") != `"caller";q=2;w=1` || answer.Header.Get("Access-Control-Allow-Origin") != "https://app.example" {
			t.Fatalf("headers = %v, want the policy and the page's origin", answer.Header)
		}
	}
	if statuses[200] == 0 || statuses[429] == 0 || len(statuses) != 2 {
		t.Errorf("statuses = %v, want some 200 and, past 2 a second, 429", statuses)
	}
}
