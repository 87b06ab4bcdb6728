package term

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

// hanging is a writer whose reader takes nothing until it is released.
type hanging struct {
	entered, release chan struct{}
	bytes.Buffer
}

func (w *hanging) Write(p []byte) (int, error) {
	select {
	case w.entered <- struct{}{}:
	default:
	}
	<-w.release
	return w.Buffer.Write(p)
}

func TestBackground_ReaderHangs(t *testing.T) {
	w := &hanging{entered: make(chan struct{}, 1), release: make(chan struct{})}
	a := New(strings.NewReader(""), io.Discard, w)
	dropped := a.Background()
	a.Warn("first")
	<-w.entered
	long := strings.Repeat("x", 1000)
	for range 5000 {
		a.Warn("%s", long)
	}
	if n := dropped(); n < 3000 {
		t.Errorf("%d of 5000 writes were dropped, want all but 1 MiB", n)
	}
	close(w.release)
	if code := a.Finish(nil); code != ExitOK {
		t.Errorf("Finish() = %d, want %d", code, ExitOK)
	}
	if got := w.String(); !strings.HasPrefix(got, "first\nx") || strings.Count(got, "\n")+int(dropped()) != 5001 {
		t.Errorf("%d lines were written and %d dropped, want 5001 in all", strings.Count(got, "\n"), dropped())
	}
}

type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, errors.New("closed") }

func TestBackground_ReaderGoesAway(t *testing.T) {
	a := New(strings.NewReader(""), closed{}, closed{})
	dropped := a.Background()
	a.Say("one")
	a.Warn("two")
	if code := a.Finish(nil); code != ExitOK {
		t.Errorf("Finish() = %d, want %d", code, ExitOK)
	}
	if n := dropped(); n != 2 {
		t.Errorf("%d writes were dropped, want 2", n)
	}
}

func TestFinish_DoesNotWaitForReadersThatHang(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	a := New(strings.NewReader(""), &hanging{release: release}, &hanging{release: release})
	a.Background()
	a.Say("one")
	a.Warn("two")
	if code := a.Finish(errors.New("fault")); code != ExitFailed {
		t.Errorf("Finish() = %d, want %d", code, ExitFailed)
	}
}
