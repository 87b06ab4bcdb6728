// Package guard has what an HTTP server needs against clients that it does not trust. It judges the framing of a request, so
// that no two readers disagree about where it ends (Framing, Head); it tells who sent a request (ClientAddr); it bounds what
// one client has at a time (Limiter, Memory) and how often something happens (Bucket); and it keeps listeners accepting while
// the machine is short of something (Patient, Limited). Origin and edge use it.
package guard
