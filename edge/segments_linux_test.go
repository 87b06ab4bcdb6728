package edge_test

import (
	"net"
	"testing"

	"golang.org/x/sys/unix"
)

// segmentsWithoutData returns how many segments without data have come on a TCP connection: acknowledgements alone. It skips
// the test if the kernel does not count them.
func segmentsWithoutData(t *testing.T, c net.Conn) int {
	t.Helper()
	raw, err := c.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var info *unix.TCPInfo
	if failed := raw.Control(func(fd uintptr) { info, err = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO) }); failed != nil || err != nil {
		t.Fatal(failed, err)
	}
	if info.Segs_in == 0 {
		t.Skip("this kernel does not count segments")
	}
	return int(info.Segs_in - info.Data_segs_in)
}
