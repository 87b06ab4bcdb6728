//go:build linux

package propagation

import (
	"errors"
	"io"
	"net"
	"sync"
)

// valve forwards connections to the origin's feed until it is shut: then it ends them, and those that
// come. It may be used concurrently.
type valve struct {
	listener net.Listener
	target   string
	working  sync.WaitGroup

	mu   sync.Mutex // guards what follows
	shut bool
	open map[net.Conn]bool
}

// newValve returns an open valve before an address.
func newValve(target string) (*valve, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	v := &valve{listener: l, target: target, open: map[net.Conn]bool{}}
	v.working.Go(v.accept)
	return v, nil
}

func (v *valve) url() string { return "http://" + v.listener.Addr().String() }

func (v *valve) accept() {
	for {
		c, err := v.listener.Accept()
		if err != nil {
			return
		}
		v.working.Go(func() { v.forward(c) })
	}
}

// forward joins a connection with one to the origin, until either ends.
func (v *valve) forward(near net.Conn) {
	far, err := net.Dial("tcp", v.target)
	if err != nil || !v.add(near, far) {
		_ = near.Close()
		if far != nil {
			_ = far.Close()
		}
		return
	}
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{near, far}, {far, near}} {
		both.Go(func() {
			_, _ = io.Copy(way[0], way[1]) // either end may break at any time
			_ = near.Close()
			_ = far.Close()
		})
	}
	both.Wait()
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.open, near)
	delete(v.open, far)
}

// add keeps connections to be ended later, unless the valve is shut.
func (v *valve) add(connections ...net.Conn) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, c := range connections {
		if !v.shut {
			v.open[c] = true
		}
	}
	return !v.shut
}

// turn shuts the valve or opens it.
func (v *valve) turn(shut bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.shut = shut
	if shut {
		for c := range v.open {
			_ = c.Close()
		}
	}
}

// close ends the valve and everything that goes through it.
func (v *valve) close() error {
	err := v.listener.Close()
	v.turn(true)
	v.working.Wait()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
