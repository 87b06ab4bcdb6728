package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// server is a running livery dev.
type server struct {
	cmd          *exec.Cmd
	API          string            `json:"apiURL"`
	Edge         string            `json:"edgeURL"`
	Token        string            `json:"token"`
	Environments map[string]string `json:"environments"`
	ready        time.Duration     // from the start of the process until dev.json, written once files answer
}

// start runs a fresh livery dev on free ports and waits until it answers.
func start(ctx context.Context, binary, dir string) (*server, error) {
	data := filepath.Join(dir, "data")
	cmd := exec.CommandContext(ctx, binary, "dev", "--data", data, "--origin", "127.0.0.1:0", "--edge", "127.0.0.1:0")
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s (make build makes it): %w", binary, err)
	}
	d := &server{cmd: cmd}
	for {
		file, err := os.ReadFile(filepath.Join(data, "dev.json"))
		if err == nil {
			d.ready = time.Since(began)
			return d, json.Unmarshal(file, d)
		}
		if !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		select {
		case <-ctx.Done():
			d.stop()
			return nil, ctx.Err()
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// stop ends the process and waits for it.
func (d *server) stop() {
	_ = d.cmd.Process.Signal(syscall.SIGTERM)
	_ = d.cmd.Wait()
}
