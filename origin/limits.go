package origin

import "time"

// Limits bound what one request, one connection and one caller can cost. Zero fields mean the
// defaults, which are those of the API's documentation.
type Limits struct {
	BodyBytes         int           // of a request body; 8 MiB
	BodyBudget        int64         // of the request bodies in memory at one time; 64 MiB, a quarter of it for one caller, one body at least
	DocumentBytes     int           // of a Theme document as minified JSON; 8 MiB
	Depth             int           // levels of nesting of a document; 64
	Operations        int           // of one batch; 10,000
	NameCharacters    int           // of a member name in a document; 256
	HeaderBytes       int           // of the request line and header block; 16 KiB
	Connections       int           // at one time; 16,384
	ConnectionsPerIP  int           // of an IPv4 address or an IPv6 network of 64 bits at one time; 512, negative means no limit
	ReadTimeout       time.Duration // for a whole request; 10 s
	WriteTimeout      time.Duration // for a whole answer; 30 s
	IdleTimeout       time.Duration // between two requests of a connection; 60 s
	RequestsPerSecond float64       // of one caller; 0 means no limit
}

func (l Limits) withDefaults() Limits {
	l.BodyBytes = or(l.BodyBytes, 8<<20)
	l.BodyBudget = or(l.BodyBudget, 64<<20)
	l.DocumentBytes = or(l.DocumentBytes, 8<<20)
	l.Depth = or(l.Depth, 64)
	l.Operations = or(l.Operations, 10_000)
	l.NameCharacters = or(l.NameCharacters, 256)
	l.HeaderBytes = or(l.HeaderBytes, 16<<10)
	l.Connections = or(l.Connections, 16_384)
	l.ConnectionsPerIP = or(l.ConnectionsPerIP, 512)
	l.ReadTimeout = or(l.ReadTimeout, 10*time.Second)
	l.WriteTimeout = or(l.WriteTimeout, 30*time.Second)
	l.IdleTimeout = or(l.IdleTimeout, 60*time.Second)
	return l
}

func or[T int | int64 | time.Duration](value, fallback T) T {
	if value == 0 {
		return fallback
	}
	return value
}
