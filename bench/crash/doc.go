// Package crash kills the built livery binary with SIGKILL again and again while writers publish over
// HTTP, and checks after each kill that every acknowledged publish is there, that versions are
// contiguous, and that pinned files are the same bytes; and, on the store itself, that the records,
// the blobs and the change log agree.
// The arguments of the part follow "-args --": go test ./bench/crash -args -- -h lists them.
package crash
