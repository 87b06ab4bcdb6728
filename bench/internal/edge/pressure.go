//go:build linux

package edge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/world"
	"example.com/livery/internal/test/floods"
)

const idleConns = 1000

// idle measures what a connection under TLS that has asked once and rests takes of each server's memory. Those of one
// protocol stay while the other's are opened: what a server keeps for connections to come is paid for by these.
func (b *bench) idle(ctx context.Context, p *phase) error {
	for _, s := range p.subjects {
		for _, protocol := range []string{"HTTP/1.1", "HTTP/2"} {
			before, heapBefore, err := s.memory(ctx)
			if err != nil {
				return err
			}
			for range idleConns {
				c := clientAt("127.0.0.1", protocol == "HTTP/2")
				defer c.CloseIdleConnections()
				if _, _, err := s.ask(c, scenario{path: "/2k.css"}); err != nil {
					return fmt.Errorf("%s: %w", s.name, err)
				}
			}
			after, heapAfter, err := s.memory(ctx)
			if err != nil {
				return err
			}
			f := figures.Figure{Name: "an idle connection, " + protocol, Subject: s.name, Unit: "KiB resident"}
			b.figures.AddOne(f, (after-before)/1024/idleConns)
			if f.Unit = "KiB of heap"; s.edge != nil {
				b.figures.AddOne(f, (heapAfter-heapBefore)/1024/idleConns)
			}
		}
	}
	return nil
}

// memory returns the resident memory of a server and, of livery, the heap that lives.
func (s *subject) memory(ctx context.Context) (resident, heap float64, err error) {
	if s.edge != nil {
		if err = s.edge.Collect(ctx); err == nil {
			heap, err = s.edge.Metric(ctx, "go_memstats_heap_alloc_bytes")
		}
	}
	for before := math.Inf(1); err == nil; time.Sleep(time.Second) {
		if resident, err = sum(s, world.Resident); resident > before-1<<20 {
			break // it gives no more back
		}
		before = resident
	}
	return resident, heap, err
}

// A bystander asks on connections of its own, at a constant rate.
const (
	bystanderEvery = 10 * time.Millisecond
	newEvery       = 5 // requests, one is on a new connection
)

// bystander are the times from when each request was due.
type bystander struct {
	Kept, New figures.Times
	Failed    int
}

// underFloods measures what each flood adds to a server's memory, and how long the requests of another client take meanwhile.
func (b *bench) underFloods(ctx context.Context, p *phase) error {
	for _, s := range p.subjects {
		start, _, err := s.memory(ctx)
		if err != nil {
			return err
		}
		for _, f := range slices.Concat([]floods.Flood{{Name: "none"}}, floods.All, floods.Waiting) {
			if err := b.flood(ctx, s, f.Name, start); err != nil {
				return fmt.Errorf("%s, %s: %w", s.name, f.Name, err)
			}
		}
	}
	return nil
}

func (b *bench) flood(ctx context.Context, s *subject, name string, start float64) error {
	path := s.path("/20k.css")
	flood, err := child(ctx, "nice", "-n", "19", "flood", name, s.address, path)
	if err != nil {
		return err
	}
	if err := flood.Start(); err != nil {
		return err
	}
	defer func() {
		_ = flood.Process.Kill()
		_ = flood.Wait()
	}()
	witness, err := child(ctx, "bystander", s.address, path, b.floodFor.String())
	if err != nil {
		return err
	}
	most, ended := start, make(chan struct{})
	highest := make(chan float64)
	go func() {
		defer func() { highest <- most }()
		for tick := time.NewTicker(20 * time.Millisecond); ; {
			select {
			case <-ended:
				return
			case <-tick.C:
				resident, err := sum(s, world.Resident)
				if err == nil {
					most = max(most, resident)
				}
			}
		}
	}()
	told, err := witness.Output()
	close(ended)
	most = <-highest
	if err != nil {
		return err
	}
	var by bystander
	if err := json.Unmarshal(told, &by); err != nil {
		return err
	}
	f := figures.Figure{Name: "flood: " + name, Subject: s.name}
	add := func(unit string, value float64) {
		f.Unit = unit
		b.figures.AddOne(f, value)
	}
	add("MiB resident above the start", (most-start)/(1<<20))
	for kind, times := range map[string]figures.Times{"": by.Kept, " with a handshake": by.New} {
		add("p50 of a bystander"+kind+", ms", figures.Milliseconds(times.At(0.5)))
		add("p99 of a bystander"+kind+", ms", figures.Milliseconds(times.At(0.99)))
	}
	add("requests of a bystander that failed", float64(by.Failed))
	return nil
}

// child returns a command that does one of Serve's, on the core of the load, behind the words of a prefix.
func child(ctx context.Context, words ...string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(words, func(w string) bool { return w == "flood" || w == "bystander" })
	arguments := slices.Concat([]string{"-c", strconv.Itoa(loadCore)}, words[:at], []string{self, Child}, words[at:])
	cmd := exec.CommandContext(ctx, "taskset", arguments...)
	cmd.Stderr = os.Stderr
	return cmd, nil
}

// RunChild floods a server until it is killed, or asks one as a bystander and prints the times: flood NAME ADDRESS PATH,
// or bystander ADDRESS PATH DURATION.
func RunChild(arguments []string) error {
	if len(arguments) != 4 {
		return errors.New("four arguments are needed")
	}
	if arguments[0] == "bystander" {
		lasting, err := time.ParseDuration(arguments[3])
		if err != nil {
			return err
		}
		by, err := watch(&subject{address: arguments[1], secure: true}, scenario{path: arguments[2]}, lasting)
		return errors.Join(err, json.NewEncoder(os.Stdout).Encode(by))
	}
	all := slices.Concat(floods.All, floods.Waiting)
	at := slices.IndexFunc(all, func(f floods.Flood) bool { return f.Name == arguments[1] })
	for at >= 0 {
		end := all[at].Open(arguments[2], arguments[3])
		time.Sleep(time.Second) // it is what the client does
		end()
	}
	select {} // without a flood
}

// watch asks in HTTP/1.1 and HTTP/2 in turn.
func watch(s *subject, sc scenario, lasting time.Duration) (by bystander, err error) {
	kept := []*http.Client{clientAt("127.0.0.2", false), clientAt("127.0.0.2", true)}
	for _, c := range kept {
		if _, _, err := s.ask(c, sc); err != nil {
			return by, err
		}
	}
	began := time.Now()
	for n := 0; ; n++ {
		due := began.Add(time.Duration(n) * bystanderEvery)
		if due.Sub(began) > lasting {
			return by, nil
		}
		time.Sleep(time.Until(due))
		c, times := kept[n%2], &by.Kept
		if n%newEvery == 0 {
			c, times = clientAt("127.0.0.2", n%2 == 0), &by.New
		}
		if _, _, err := s.ask(c, sc); err != nil {
			by.Failed++
		}
		*times = append(*times, time.Since(due))
		if n%newEvery == 0 {
			c.CloseIdleConnections()
		}
	}
}

// clientAt returns a client at an address, which makes one connection.
func clientAt(from string, http2 bool) *http.Client {
	t := insecure.Transport.(*http.Transport).Clone()
	t.DisableKeepAlives, t.Protocols = false, new(http.Protocols)
	t.Protocols.SetHTTP1(!http2)
	t.Protocols.SetHTTP2(http2)
	t.DialContext = (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}).DialContext
	return &http.Client{Transport: t, Timeout: 10 * time.Second}
}
