package httpd

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"net/netip"
	"strings"
	"testing"
)

// proxyHeader makes a header of the PROXY protocol.
func proxyHeader(command, family byte, rest []byte) []byte {
	h := append([]byte(proxySign), command, family)
	h = binary.BigEndian.AppendUint16(h, uint16(len(rest)))
	return append(h, rest...)
}

func proxyTLV(kind byte, value string) []byte {
	return append(binary.BigEndian.AppendUint16([]byte{kind}, uint16(len(value))), value...)
}

var (
	proxyV4 = []byte{192, 0, 2, 7, 10, 0, 0, 1, 0x30, 0x39, 0, 80}
	proxyV6 = append(append(netip.MustParseAddr("2001:db8::7").AsSlice(), make([]byte, 16)...), 0x30, 0x39, 0, 80)
)

// summed returns a header with a checksum, which flip changes.
func summed(flip byte) []byte {
	h := proxyHeader(proxyRelayed, proxyTCP4, append(bytes.Clone(proxyV4), proxyTLV(proxyCRC, "\x00\x00\x00\x00")...))
	sum := crc32.Checksum(h, crc32.MakeTable(crc32.Castagnoli))
	binary.BigEndian.PutUint32(h[len(h)-4:], sum)
	h[len(h)-1] ^= flip
	return h
}

func TestProxyHeaders(t *testing.T) {
	mapped := append(append(netip.MustParseAddr("::ffff:192.0.2.7").AsSlice(), make([]byte, 16)...), 0x30, 0x39, 0, 80)
	with := func(address []byte, tlvs ...byte) []byte { return append(bytes.Clone(address), tlvs...) }
	for _, tt := range []struct {
		name   string
		header []byte
		client string // empty: refused; "proxy": the proxy itself
	}{
		{"a client by IPv4", proxyHeader(proxyRelayed, proxyTCP4, proxyV4), "192.0.2.7:12345"},
		{"a client by IPv6", proxyHeader(proxyRelayed, proxyTCP6, proxyV6), "[2001:db8::7]:12345"},
		{"IPv4 in IPv6 is IPv4", proxyHeader(proxyRelayed, proxyTCP6, mapped), "192.0.2.7:12345"},
		{"more than the address", proxyHeader(proxyRelayed, proxyTCP4, with(proxyV4, proxyTLV(0x02, "example.com")...)), "192.0.2.7:12345"},
		{"a right checksum", summed(0), "192.0.2.7:12345"},
		{"a health check", proxyHeader(proxyLocal, 0, nil), "proxy"},
		{"a health check with whatever", proxyHeader(proxyLocal, 0x77, []byte("whatever")), "proxy"},
		{"nobody knows who", proxyHeader(proxyRelayed, proxyUnknown, []byte("abc")), "proxy"},

		{"nothing", nil, ""},
		{"a request", []byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), ""},
		{"version 1", []byte("PROXY TCP4 192.0.2.7 10.0.0.1 12345 80\r\n"), ""},
		{"another version", proxyHeader(0x11, proxyTCP4, proxyV4), ""},
		{"another command", proxyHeader(0x22, proxyTCP4, proxyV4), ""},
		{"datagrams", proxyHeader(proxyRelayed, 0x12, proxyV4), ""},
		{"a socket of one machine", proxyHeader(proxyRelayed, 0x31, make([]byte, 216)), ""},
		{"an address cut short", proxyHeader(proxyRelayed, proxyTCP4, proxyV4[:11]), ""},
		{"an IPv6 address cut short", proxyHeader(proxyRelayed, proxyTCP6, proxyV6[:35]), ""},
		{"a header cut short", proxyHeader(proxyRelayed, proxyTCP4, proxyV4)[:20], ""},
		{"a length that lies", proxyHeader(proxyRelayed, proxyTCP4, with(proxyV4, 0x02, 0xff, 0xff, 1)), ""},
		{"half a TLV", proxyHeader(proxyRelayed, proxyTCP4, with(proxyV4, 0x02, 0)), ""},
		{"a wrong checksum", summed(1), ""},
		{"a checksum of another length", proxyHeader(proxyRelayed, proxyTCP4, with(proxyV4, proxyTLV(proxyCRC, "abc")...)), ""},
		{"too long", proxyHeader(proxyRelayed, proxyTCP4, with(proxyV4, proxyTLV(0x04, strings.Repeat("x", maxProxyBytes))...)), ""},
		{"two headers are one, and a request that is none", proxyHeader(proxyRelayed, proxyTCP4, proxyV4), "192.0.2.7:12345"},
	} {
		r := bytes.NewReader(append(bytes.Clone(tt.header), "GET"...))
		got, err := readProxyHeader(r)
		if tt.client == "" {
			if err == nil {
				t.Errorf("%s: %v, want a refusal", tt.name, got)
			}
			continue
		}
		if rest, _ := io.ReadAll(r); err != nil || string(rest) != "GET" {
			t.Errorf("%s: %v, and %q is left", tt.name, err, rest)
		}
		if want, _ := netip.ParseAddrPort(tt.client); got != want {
			t.Errorf("%s: %v, want %s", tt.name, got, tt.client)
		}
	}
}

// A header is read to its end and no byte further, and only what is sound names a client.
func FuzzProxyHeader(f *testing.F) {
	f.Add(proxyHeader(proxyRelayed, proxyTCP4, proxyV4))
	f.Add(proxyHeader(proxyRelayed, proxyTCP6, append(bytes.Clone(proxyV6), proxyTLV(2, "a")...)))
	f.Add(proxyHeader(proxyLocal, 0, nil))
	f.Add(summed(0))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := bytes.NewReader(data)
		client, err := readProxyHeader(r)
		if err != nil {
			if client.IsValid() {
				t.Errorf("a refused header names %v", client)
			}
			return
		}
		length := proxyFixed + int(binary.BigEndian.Uint16(data[14:]))
		if r.Len() != len(data)-length || length > proxyFixed+maxProxyBytes {
			t.Errorf("%d bytes are left of %d behind a header of %d", r.Len(), len(data), length)
		}
		if client.IsValid() && (data[12] != proxyRelayed || client.Addr().Is4In6()) {
			t.Errorf("%v is named by command %x", client, data[12])
		}
	})
}
