package httpd

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"net/netip"
	"sync"

	"example.com/livery/httpd/guard"
	"example.com/livery/httpd/loop"
)

// ProxyListener returns l for connections that come through proxies which speak the PROXY protocol,
// version 2. A connection from a trusted proxy must begin with its header, and counts as one from the
// client that the header names; a header that is not well formed ends it. Connections from other
// peers are as they were: a header there is not a request, and is refused as such. It belongs beneath TLS.
func ProxyListener(l net.Listener, trusted []netip.Prefix) net.Listener {
	return &proxyListener{l, trusted}
}

type proxyListener struct {
	net.Listener
	trusted []netip.Prefix
}

// Accept does not wait for the header: a proxy that is slow does not delay other connections.
func (l *proxyListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if guard.InRanges(l.trusted, loop.AddressOf(c.RemoteAddr())) {
		return &proxied{Conn: c}, nil
	}
	return c, nil
}

// proxied is a connection that begins with a header.
type proxied struct {
	net.Conn
	once   sync.Once
	client net.Addr // nil: the proxy itself
	err    error
}

// Read reads what comes after the header.
func (c *proxied) Read(p []byte) (int, error) {
	c.once.Do(c.readHeader)
	if c.err != nil {
		return 0, c.err
	}
	return c.Conn.Read(p)
}

// RemoteAddr returns the client that the header names. Before the first Read it is the proxy's.
func (c *proxied) RemoteAddr() net.Addr {
	if c.client != nil {
		return c.client
	}
	return c.Conn.RemoteAddr()
}

// NetConn returns the connection beneath.
func (c *proxied) NetConn() net.Conn { return c.Conn }

func (c *proxied) readHeader() {
	client, err := readProxyHeader(c.Conn)
	if err != nil {
		c.err = err
		_ = c.Conn.Close()
		return
	}
	if client.IsValid() {
		c.client = net.TCPAddrFromAddrPort(client)
	}
}

// errProxyHeader says that a connection does not begin with a header of the PROXY protocol.
var errProxyHeader = errors.New("not a header of the PROXY protocol, version 2")

// The layout of a header (PROXY protocol, section 2.2):
//
//	byte 0      12               13               14         16
//	     +------+----------------+----------------+----------+-----------+------------+
//	     | sign | version 2, cmd | family, socket | length n | addresses | TLVs, to n |
//	     +------+----------------+----------------+----------+-----------+------------+
const (
	proxySign     = "\r\n\r\n\x00\r\nQUIT\n"
	proxyFixed    = 16
	maxProxyBytes = 2 << 10 // of addresses and TLVs: a proxy has no reason to send more
	proxyLocal    = 0x20    // the proxy's own connection: a health check
	proxyRelayed  = 0x21
	proxyUnknown  = 0x00 // the proxy does not know who asks
	proxyTCP4     = 0x11
	proxyTCP6     = 0x21
	proxyCRC      = 0x03 // the type of a TLV
)

// readProxyHeader reads a header, no byte more, and returns the client that it names: the zero
// AddrPort if that is the proxy itself.
func readProxyHeader(r io.Reader) (client netip.AddrPort, err error) {
	header := make([]byte, proxyFixed, proxyFixed+256)
	if _, err := io.ReadFull(r, header); err != nil {
		return client, fmt.Errorf("%w: %w", errProxyHeader, err)
	}
	length := int(binary.BigEndian.Uint16(header[14:]))
	if string(header[:len(proxySign)]) != proxySign || length > maxProxyBytes {
		return client, errProxyHeader
	}
	header = append(header, make([]byte, length)...)
	if _, err := io.ReadFull(r, header[proxyFixed:]); err != nil {
		return client, fmt.Errorf("%w: %w", errProxyHeader, err)
	}
	return parseProxyHeader(header)
}

// parseProxyHeader reads a whole header.
func parseProxyHeader(header []byte) (client netip.AddrPort, err error) {
	command, family, rest := header[12], header[13], header[proxyFixed:]
	if command == proxyLocal {
		return client, nil // what follows means nothing
	}
	var ok bool
	switch {
	case command != proxyRelayed:
		return client, errProxyHeader
	case family == proxyUnknown:
		return client, nil
	case family == proxyTCP4 && len(rest) >= 12:
		client = netip.AddrPortFrom(netip.AddrFrom4([4]byte(rest)), binary.BigEndian.Uint16(rest[8:]))
		ok = soundTLVs(header, proxyFixed+12)
	case family == proxyTCP6 && len(rest) >= 36:
		client = netip.AddrPortFrom(netip.AddrFrom16([16]byte(rest)).Unmap(), binary.BigEndian.Uint16(rest[32:]))
		ok = soundTLVs(header, proxyFixed+36)
	}
	if !ok {
		return netip.AddrPort{}, errProxyHeader
	}
	return client, nil
}

// soundTLVs reports whether the TLVs of a header, from a place on, fill it exactly, and its checksum
// is right if there is one.
func soundTLVs(header []byte, at int) bool {
	for at < len(header) {
		if len(header)-at < 3 {
			return false
		}
		kind, length := header[at], int(binary.BigEndian.Uint16(header[at+1:]))
		at += 3
		if len(header)-at < length {
			return false
		}
		if kind == proxyCRC && (length != 4 || !soundSum(header, at)) {
			return false
		}
		at += length
	}
	return true
}

// soundSum reports whether the CRC-32C at a place is that of the header with zeros there.
func soundSum(header []byte, at int) bool {
	table := crc32.MakeTable(crc32.Castagnoli)
	sum := crc32.Update(0, table, header[:at])
	sum = crc32.Update(sum, table, make([]byte, 4))
	sum = crc32.Update(sum, table, header[at+4:])
	return sum == binary.BigEndian.Uint32(header[at:])
}
