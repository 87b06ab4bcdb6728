package process

import (
	"context"
	"errors"
	"net"
	"strconv"
	"syscall"

	"example.com/livery/cli/term"
)

// listen opens a TCP listener for a flag's address and closes it with the run.
func (r *Run) listen(flag, address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, term.Fail("Stop the program that uses it, or choose another address with --"+flag+"; port 0 takes a free one.", "the address %s is in use already", address)
	case errors.Is(err, syscall.EACCES):
		return nil, term.Fail("Choose a port above 1023 with --"+flag+".", "this user may not listen on %s", address)
	case err != nil:
		return nil, term.Fail("Write HOST:PORT, for example 127.0.0.1:8080.", "--%s %s cannot be listened on: %s", flag, address, reasonOf(err))
	}
	r.OnClose(func(context.Context) error {
		if err := l.Close(); !errors.Is(err, net.ErrClosed) {
			return err
		}
		return nil
	})
	return l, nil
}

// ListenAll opens a listener for each pair of a flag and its address.
func (r *Run) ListenAll(pairs ...[2]string) ([]net.Listener, error) {
	listeners := make([]net.Listener, len(pairs))
	for i, p := range pairs {
		var err error
		if listeners[i], err = r.listen(p[0], p[1]); err != nil {
			return nil, err
		}
	}
	return listeners, nil
}

func reasonOf(err error) string {
	if e, ok := errors.AsType[*net.OpError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}

// URLOf is the address at which this machine reaches a listener.
func URLOf(l net.Listener, secure bool) string {
	address := l.Addr().(*net.TCPAddr)
	host := address.IP.String()
	if address.IP.IsUnspecified() {
		host = "127.0.0.1"
	}
	scheme := "http://"
	if secure {
		scheme = "https://"
	}
	return scheme + net.JoinHostPort(host, strconv.Itoa(address.Port))
}
