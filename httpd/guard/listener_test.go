package guard

import (
	"errors"
	"log/slog"
	"net"
	"os"
	"syscall"
	"testing"
)

// failing is a listener whose Accept fails with each error once, and then waits for a real connection.
type failing struct {
	net.Listener
	errs []error
}

func (l *failing) Accept() (net.Conn, error) {
	if len(l.errs) > 0 {
		err := l.errs[0]
		l.errs = l.errs[1:]
		return nil, err
	}
	return l.Listener.Accept()
}

func accept(t *testing.T, errs ...error) (net.Conn, error) {
	t.Helper()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := Patient(&failing{inner, errs}, slog.New(slog.DiscardHandler))
	defer l.Close()
	client, err := net.Dial("tcp", inner.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	return l.Accept()
}

func opError(err error) error {
	return &net.OpError{Op: "accept", Net: "tcp", Err: os.NewSyscallError("accept4", err)}
}

func TestPatient_OutlivesErrorsThatPass(t *testing.T) {
	for _, number := range []syscall.Errno{
		syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED, syscall.EINTR, syscall.EAGAIN,
		syscall.EPROTO, syscall.EPERM, syscall.ENETDOWN, syscall.ENETUNREACH, syscall.EHOSTUNREACH, syscall.ETIMEDOUT,
	} {
		t.Run(number.Error(), func(t *testing.T) {
			t.Parallel()
			c, err := accept(t, opError(number), opError(number))
			if err != nil {
				t.Fatalf("Accept() = %v", err)
			}
			_ = c.Close()
		})
	}
}

func TestPatient_ReturnsErrorsThatStay(t *testing.T) {
	for _, err := range []error{net.ErrClosed, syscall.EBADF, syscall.EINVAL, syscall.ENOTSOCK, errors.New("another")} {
		if _, got := accept(t, opError(err)); !errors.Is(got, err) {
			t.Errorf("Accept() = %v, want %v", got, err)
		}
	}
}

func TestPatient_CloseEndsTheWait(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	errs := make([]error, 100) // longer than any test may take
	for i := range errs {
		errs[i] = opError(syscall.EMFILE)
	}
	l := Patient(&failing{inner, errs}, slog.New(slog.DiscardHandler))
	ended := make(chan error)
	go func() {
		_, err := l.Accept()
		ended <- err
	}()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Errorf("Accept() = %v, want net.ErrClosed", err)
	}
}

func TestLimited_WaitsForAFreePlace(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := Limited(inner, 1)
	for range 2 {
		client, err := net.Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
	}
	first, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	second := make(chan error)
	go func() {
		c, err := l.Accept()
		if err == nil {
			_ = c.Close()
		}
		second <- err
	}()
	select {
	case err := <-second:
		t.Fatalf("a second connection was accepted: %v", err)
	default:
	}
	_ = first.Close()
	_ = first.Close() // once more frees no further place
	if err := <-second; err != nil {
		t.Fatal(err)
	}
	waiting := make(chan error)
	go func() { _, err := l.Accept(); waiting <- err }()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-waiting; !errors.Is(err, net.ErrClosed) {
		t.Errorf("Accept() = %v after Close, want net.ErrClosed", err)
	}
}
