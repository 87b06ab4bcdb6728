package webhooks

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/net/idna"
)

// reserved are the networks within those of unicast addresses that do not lead to one machine of the public internet, as the
// registries of special-purpose addresses list them (RFC 6890).
var reserved = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
	"192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24", "224.0.0.0/3",
	"2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20",
)

// global is what is assigned of IPv6 to the public internet. Local, mapped and translated (NAT64) addresses are outside of it.
var global = netip.MustParsePrefix("2000::/3")

func prefixes(texts ...string) (all []netip.Prefix) {
	for _, text := range texts {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}

// isPublic reports whether an address is one of the public internet.
func isPublic(a netip.Addr) bool {
	if a.Zone() != "" || a.Is6() && !global.Contains(a) {
		return false
	}
	return !within(reserved, a)
}

func within(all []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(all, func(p netip.Prefix) bool { return p.Contains(a) })
}

// ErrAddress says that webhooks may not be sent to an address.
var ErrAddress = errors.New("is not at an address of the public internet; ask the operator to allow it (--webhook-network)")

// check refuses an address that webhooks may not be sent to: over http only the operator's networks are allowed.
func (s *Sender) check(a netip.Addr, scheme string) error {
	a = a.Unmap() // an IPv4 address in the clothes of IPv6 is the IPv4 address
	if within(s.config.Networks, a) || scheme == "https" && isPublic(a) {
		return nil
	}
	return ErrAddress
}

// dialer returns what connects to receivers over one scheme. Each address is checked when it is connected to: what a name
// resolved to before says nothing of what it resolves to then.
func (s *Sender) dialer(scheme string) func(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{Resolver: s.config.Resolver, ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		return s.check(to.Addr(), scheme)
	}}
	return d.DialContext
}

// maxURL is the length of the longest address of a webhook, in bytes.
const maxURL = 2048

// CheckURL says what is wrong with the address of a webhook; it returns "" if nothing is. A name is not resolved.
func (s *Sender) CheckURL(address string) string {
	u, err := url.Parse(address)
	switch {
	case address == "":
		return "required"
	case len(address) > maxURL:
		return "is longer than " + strconv.Itoa(maxURL) + " bytes"
	case err != nil || u.Hostname() == "" || u.Opaque != "":
		return "must be an absolute address such as https://hooks.example.com/livery"
	case u.Scheme == "http" && len(s.config.Networks) == 0, u.Scheme != "https" && u.Scheme != "http":
		return "must begin with https://"
	case u.User != nil:
		return "must not hold a user or a password; put a secret into its path or query"
	case strings.Contains(address, "#"):
		return "must not hold a fragment"
	}
	if port, err := strconv.ParseUint(u.Port(), 10, 16); u.Port() != "" && (err != nil || port == 0) {
		return "must have a port from 1 to 65535"
	}
	return s.checkHost(u.Hostname(), u.Scheme)
}

// hostNames spells names as the resolver is asked for them.
var hostNames = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.Transitional(false), idna.StrictDomainName(false))

// checkHost says what is wrong with the host of a webhook's address. Some programs read a name of numbers, such as 127.1 or
// 0x7f000001, as an IPv4 address: it has no other use, and is refused.
func (s *Sender) checkHost(host, scheme string) string {
	if !strings.Contains(host, ":") {
		name, err := hostNames.ToASCII(host)
		labels := strings.Split(strings.TrimSuffix(name, "."), ".")
		if err != nil || len(name) > 254 || slices.ContainsFunc(labels, func(l string) bool { return !isLabel(l) }) {
			return "must have a valid name of a host"
		}
		host = name
		last := labels[len(labels)-1]
		if _, err := netip.ParseAddr(host); err != nil && isNumber(last) {
			return "must have the name of a host, or an IP address such as 192.0.2.1 or [2001:db8::1]"
		}
		if last == "localhost" { // at every machine itself
			if s.check(netip.AddrFrom4([4]byte{127, 0, 0, 1}), scheme) != nil && s.check(netip.IPv6Loopback(), scheme) != nil {
				return ErrAddress.Error()
			}
			return ""
		}
	}
	if a, err := netip.ParseAddr(host); err == nil {
		if err := s.check(a, scheme); err != nil {
			return err.Error()
		}
	}
	return ""
}

// isLabel reports whether a part of a name may be that of a host. Hosts on networks of one's own have underscores in theirs.
func isLabel(l string) bool {
	allowed := func(r rune) bool { return r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' }
	return l != "" && len(l) <= 63 && l[0] != '-' && l[len(l)-1] != '-' && !strings.ContainsFunc(l, func(r rune) bool { return !allowed(r) })
}

// isNumber reports whether the last label of a name is one that is read as a part of an IPv4 address.
func isNumber(l string) bool {
	_, err := strconv.ParseUint(l, 0, 64)
	return err == nil || strings.Trim(l, "0123456789") == ""
}

// hostOf returns the host of a webhook's address, which is all that logs say of it: the rest may be a secret.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}
