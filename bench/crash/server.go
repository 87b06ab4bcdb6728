package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"example.com/livery/client"
)

// server is a running livery dev.
type server struct {
	cmd          *exec.Cmd
	said         *bytes.Buffer
	api          *client.Client
	APIURL       string            `json:"apiURL"`
	EdgeURL      string            `json:"edgeURL"`
	Token        string            `json:"token"`
	Environments map[string]string `json:"environments"`
	ready        time.Duration     // from the start of the process until dev.json
}

// start runs livery dev on the directory and waits until it answers.
func start(ctx context.Context, binary, data string) (*server, error) {
	file := filepath.Join(data, "dev.json")
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	s := &server{said: &bytes.Buffer{}}
	s.cmd = exec.CommandContext(ctx, binary, "dev", "--data", data, "--origin", "127.0.0.1:0", "--edge", "127.0.0.1:0", "--empty")
	s.cmd.Stdout, s.cmd.Stderr = s.said, s.said
	began := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s (make build makes it): %w", binary, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.cmd.Wait() }()
	for deadline := time.Now().Add(time.Minute); ; {
		text, err := os.ReadFile(file)
		if err == nil && json.Unmarshal(text, s) == nil {
			s.ready = time.Since(began)
			s.api = client.New(s.APIURL, s.Token)
			s.api.Tries = 1 // a reply that the kill took must not be asked for again
			return s, nil
		}
		select {
		case err := <-ended:
			return nil, fmt.Errorf("livery dev ended: %w\n%s", err, s.said)
		case <-time.After(2 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			_ = s.cmd.Process.Kill()
			return nil, fmt.Errorf("livery dev does not answer\n%s", s.said)
		}
	}
}

// end sends a signal and waits until the process is gone.
func (s *server) end(with os.Signal) error {
	if err := s.cmd.Process.Signal(with); err != nil {
		return err
	}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if errors.Is(s.cmd.Process.Signal(syscall.Signal(0)), os.ErrProcessDone) {
			return nil
		}
	}
	return errors.New("the process does not end")
}

func (s *server) stop() error { return s.end(syscall.SIGTERM) }
