//go:build unix

package postgres_test

import (
	"context"
	"syscall"
	"testing"
	"time"

	"example.com/livery/storage/postgres"
)

// A primary that hangs, with its connections open, is given up when another takes its place.
func TestAPrimaryThatHangsIsLeft(t *testing.T) {
	c := startCluster(t)
	s, err := postgres.Open(context.Background(), c.URL(), postgres.Options{Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if _, err := s.Update(context.Background(), "e", set("K", "1")); err != nil {
		t.Fatal(err)
	}
	hung := c.Primary
	hung.Signal(syscall.SIGSTOP)
	defer hung.Signal(syscall.SIGCONT)
	began, done := time.Now(), make(chan error, 1)
	go func() {
		_, err := s.Update(context.Background(), "e", set("K", "2"))
		done <- err
	}()
	if err := c.Promote(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("Update() = %v", err)
		}
		t.Logf("the commit took %s", time.Since(began).Round(time.Millisecond))
	case <-time.After(time.Minute):
		t.Error("Update() waits for a server that hangs")
	}
}
