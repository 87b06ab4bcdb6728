// Package watchdog ends a process whose writes do not come to their end any more.
package watchdog

import (
	"log/slog"
	"sync"
	"time"
)

// Config is what a Watchdog watches. All functions must be set; they are called from one goroutine, Probe from another.
type Config struct {
	Limit time.Duration // how long a write may take
	Every time.Duration // how often the Watchdog looks; 0 means a quarter of Limit

	// Kernel adds a timer of the kernel that kills the process unless the Watchdog resets it: an error in the midst of the
	// engine's work can stop all of the program, the Watchdog too.
	Kernel bool
	Logger *slog.Logger

	Progress func() bool                 // reports whether a write became durable since the last call
	Writes   func() (begun, ended int64) // how many writes began, and how many of those came to their end
	Probe    func() error                // makes a write of its own; an error ends the watching
	Hung     func()                      // is called once if writes hang, which ends the watching too
}

// Watchdog watches writes. Those that become durable are a sign of life; if there are none it makes one of its own.
type Watchdog struct {
	config Config
	end    chan struct{} // closed by Stop
	ended  chan struct{} // closed when the watching is over
	once   sync.Once     // closes end
}

// Start begins watching; Stop must follow.
func Start(c Config) *Watchdog {
	if c.Every == 0 {
		c.Every = c.Limit / 4
	}
	w := &Watchdog{config: c, end: make(chan struct{}), ended: make(chan struct{})}
	timer := w.newTimer()
	timer.set(2 * c.Limit) // before Start returns: a program that stops at once has no goroutine to do it
	go w.watch(timer)
	return w
}

// Stop ends the watching and waits for it. A probe under way goes on by itself. A nil Watchdog does nothing.
func (w *Watchdog) Stop() {
	if w == nil {
		return
	}
	w.once.Do(func() { close(w.end) })
	<-w.ended
}

// newTimer returns the kernel's timer, or nil if it is not wanted or not to be had.
func (w *Watchdog) newTimer() *killTimer {
	if !w.config.Kernel {
		return nil
	}
	timer, err := newKillTimer()
	if err != nil {
		w.config.Logger.Warn("storage: no timer from the kernel; a hang of the whole program goes unnoticed", "error", err)
	}
	return timer
}

func (w *Watchdog) watch(timer *killTimer) {
	defer close(w.ended)
	defer timer.close()
	tick := time.NewTicker(w.config.Every)
	defer tick.Stop()
	var unfinished hang
	for {
		timer.set(2 * w.config.Limit)
		select {
		case <-w.end:
			return
		case <-tick.C:
		}
		begun, ended := w.config.Writes()
		if unfinished.lasts(begun, ended, w.config.Limit) {
			w.config.Hung()
			return
		}
		if !w.config.Progress() && !w.probe() {
			return
		}
	}
}

// hang tells writes that are within the engine and do not come out from writes that come and go. On a
// full disk a probe tries nothing, and this is all that tells.
type hang struct {
	ended int64 // writes that had come to their end when one of them last did
	since time.Time
}

// lasts reports whether writes are unfinished and none came to its end for the limit.
func (h *hang) lasts(begun, ended int64, limit time.Duration) bool {
	if now := time.Now(); ended != h.ended || begun == ended || h.since.IsZero() {
		h.ended, h.since = ended, now
	}
	return time.Since(h.since) > limit
}

// probe makes a write and reports whether the watching goes on.
func (w *Watchdog) probe() bool {
	done := make(chan error, 1)
	go func() { done <- w.config.Probe() }()
	select {
	case err := <-done:
		return err == nil
	case <-w.end:
		return false
	case <-time.After(w.config.Limit):
		w.config.Hung()
		return false
	}
}
