package guard

import (
	"bytes"
	"net/netip"
	"strings"
)

// ParseRange reads a CIDR range, or a single address as the range of itself. IPv4-mapped IPv6 is
// IPv4, and host bits are cleared.
func ParseRange(s string) (netip.Prefix, bool) {
	s = strings.TrimSpace(s)
	if addr, err := netip.ParseAddr(s); err == nil && addr.Zone() == "" {
		addr = addr.Unmap()
		return netip.PrefixFrom(addr, addr.BitLen()), true
	}
	p, err := netip.ParsePrefix(s)
	if err != nil {
		return netip.Prefix{}, false
	}
	if p.Addr().Is4In6() {
		if p.Bits() < 96 {
			return netip.Prefix{}, false
		}
		p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
	}
	return p.Masked(), true
}

// InRanges reports whether one of the ranges holds the address.
func InRanges(ranges []netip.Prefix, addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	for _, p := range ranges {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

// ClientAddr returns who sent a request: the peer, or, if the peer is a trusted proxy, the
// rightmost entry of the X-Forwarded-For headers that is not one. If every entry is trusted it is
// the leftmost. An entry that is not an address ends the walk with the zero Addr, which no range holds.
func ClientAddr(peer netip.Addr, forwardedFor [][]byte, trusted []netip.Prefix) netip.Addr {
	addr := peer.Unmap().WithZone("")
	for i := len(forwardedFor) - 1; i >= 0; i-- {
		rest := forwardedFor[i]
		for rest != nil {
			if !InRanges(trusted, addr) {
				return addr
			}
			var entry []byte
			if comma := bytes.LastIndexByte(rest, ','); comma >= 0 {
				entry, rest = rest[comma+1:], rest[:comma]
			} else {
				entry, rest = rest, nil
			}
			addr = parseEntry(string(bytes.TrimSpace(entry)))
		}
	}
	return addr
}

// parseEntry reads an address with or without a port.
func parseEntry(s string) netip.Addr {
	if addr, err := netip.ParseAddr(s); err == nil {
		return addr.Unmap().WithZone("")
	}
	if pair, err := netip.ParseAddrPort(s); err == nil {
		return pair.Addr().Unmap().WithZone("")
	}
	if inner, ok := strings.CutPrefix(s, "["); ok {
		addr, _ := netip.ParseAddr(strings.TrimSuffix(inner, "]"))
		return addr.Unmap().WithZone("")
	}
	return netip.Addr{}
}
