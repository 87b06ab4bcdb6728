package world

import (
	"context"
	"time"

	"example.com/livery/client"
)

// Dev is a running livery dev: an origin and an edge in one process. It is for one goroutine; its API may be called
// concurrently.
type Dev struct {
	*server
	API          *client.Client
	Environments map[string]string // ids by slug
}

// StartDev starts livery dev on a data directory and free ports, on a core or on AnyCore, and waits until files are
// served. The caller must stop or kill it.
func StartDev(ctx context.Context, binary, data string, core int, flags ...string) (*Dev, error) {
	s, err := start(ctx, binary, core, "dev", data, append([]string{"--origin", "127.0.0.1:0", "--edge", "127.0.0.1:0"}, flags...)...)
	if err != nil {
		return nil, err
	}
	return &Dev{server: s, API: client.New(s.addresses["originURL"], s.addresses["token"]), Environments: s.environments}, nil
}

// APIURL is what LIVERY_URL names to commands.
func (d *Dev) APIURL() string { return d.addresses["apiURL"] }

// Token is what LIVERY_TOKEN gives to commands.
func (d *Dev) Token() string { return d.addresses["token"] }

// EdgeURL is the address of the files.
func (d *Dev) EdgeURL() string { return d.addresses["edgeURL"] }

// Ready is how long it took from the start of the process until files were served.
func (d *Dev) Ready() time.Duration { return d.ready }

// Log is what the process has written to its standard error; it may be read once the process has ended.
func (d *Dev) Log() string { return d.log.String() }

// Stop ends the process in order.
func (d *Dev) Stop() error { return d.stop() }

// Kill ends the process as a failure of the machine's power would.
func (d *Dev) Kill() error { return d.kill() }
