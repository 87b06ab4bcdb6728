// Package world runs what the benchmarks measure as a whole: an origin and edges as processes of the
// built binary, with Themes and Variants that are made and published over the public API. It measures
// nothing itself, but tells what a process has used.
package world

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// server is one running process of the binary. It is for one goroutine.
type server struct {
	name, data string
	cmd        *exec.Cmd
	gone       chan struct{}     // closed when the process has ended
	ended      error             // how, once gone is closed
	addresses  map[string]string // its addresses, by member of the file in which it tells them
	ready      time.Duration     // from its start until it told them

	environments map[string]string // ids by slug, of a dev
	log          bytes.Buffer      // of its errors
}

// AnyCore starts a process on no core of its own.
const AnyCore = -1

// patience is how long a process may take until it answers.
const patience = time.Minute

// start runs a command of the binary that tells its addresses in NAME.json of its data directory, and
// waits until it does.
func start(ctx context.Context, binary string, core int, name, data string, arguments ...string) (*server, error) {
	s := &server{name: name, data: data, gone: make(chan struct{})}
	file := filepath.Join(data, name+".json")
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) { // one that was killed has left it
		return nil, err
	}
	arguments = append([]string{name, "--data", data, "--log-level", "error"}, arguments...)
	s.cmd = exec.Command(binary, arguments...)
	if core >= 0 {
		s.cmd = exec.Command("taskset", append([]string{"-c", strconv.Itoa(core), binary}, arguments...)...)
	}
	s.cmd.Stderr = &s.log
	began := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s (make build makes it): %w", binary, err)
	}
	go func() {
		s.ended = s.cmd.Wait()
		close(s.gone)
	}()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := s.listen(ctx, file)
	s.ready = time.Since(began)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("livery %s does not answer: %w", name, err), s.kill(), errors.New(s.log.String()))
	}
	return s, nil
}

// listen waits for the file of the addresses.
func (s *server) listen(ctx context.Context, file string) error {
	for {
		text, err := os.ReadFile(file)
		if err == nil {
			return s.readReady(text)
		}
		if !errors.Is(err, os.ErrNotExist) {
			return err
		}
		select {
		case <-s.gone:
			return fmt.Errorf("it ended: %w", s.ended)
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
}

// readReady reads the file in which the process names its addresses.
func (s *server) readReady(text []byte) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return err
	}
	s.addresses = map[string]string{}
	for member, value := range members {
		var address string
		if json.Unmarshal(value, &address) == nil {
			s.addresses[member] = address
		}
	}
	if value, ok := members["environments"]; ok {
		return json.Unmarshal(value, &s.environments)
	}
	return nil
}

// stop ends the process in order.
func (s *server) stop() error {
	if s == nil || s.cmd == nil {
		return nil
	}
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	if <-s.gone; s.ended != nil {
		return fmt.Errorf("livery %s ended with %w: %s", s.name, s.ended, s.log.String())
	}
	return nil
}

// kill ends the process without a word.
func (s *server) kill() error {
	if err := s.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-s.gone // how it ended tells of the signal
	return nil
}

// Resident returns the memory of the process as the system counts it, in bytes.
func (s *server) Resident() (float64, error) { return Resident(s.cmd.Process.Pid) }

// Busy returns the processor time that the process has used.
func (s *server) Busy() (total time.Duration, err error) {
	return Busy(s.cmd.Process.Pid)
}

// Process is the process itself.
func (s *server) Process() *os.Process { return s.cmd.Process }

// Metric returns the number in the first line of the process's metrics that begins with a name and a
// space; labels are part of the name.
func (s *server) Metric(ctx context.Context, name string) (float64, error) {
	all, err := s.Metrics(ctx, name)
	if err != nil {
		return 0, err
	}
	return all[0], nil
}

// Metrics returns what Metric does, for several names and of one moment.
func (s *server) Metrics(ctx context.Context, names ...string) ([]float64, error) {
	text, err := s.ops(ctx, "/metrics")
	if err != nil {
		return nil, err
	}
	all := make([]float64, len(names))
	for i, name := range names {
		if all[i], err = numberAfter(text, name+" "); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Collect has the process collect its garbage.
func (s *server) Collect(ctx context.Context) error {
	_, err := s.ops(ctx, "/debug/pprof/heap?gc=1")
	return err
}

// ops returns what the process answers at the address of its operator.
func (s *server) ops(ctx context.Context, path string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.addresses["opsURL"]+path, http.NoBody)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return io.ReadAll(response.Body)
}

// numberAfter returns the first number after the word that a line begins with.
func numberAfter(text []byte, word string) (float64, error) {
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), word); ok {
			if fields := strings.Fields(rest); len(fields) > 0 {
				return strconv.ParseFloat(fields[0], 64)
			}
		}
	}
	return 0, fmt.Errorf("there is no %q", word)
}
