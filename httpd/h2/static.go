package h2

import "strings"

// staticFields is the static table of RFC 7541, appendix A: names, and values behind a space.
const staticFields = `:authority
:method GET
:method POST
:path /
:path /index.html
:scheme http
:scheme https
:status 200
:status 204
:status 206
:status 304
:status 400
:status 404
:status 500
accept-charset
accept-encoding gzip, deflate
accept-language
accept-ranges
accept
access-control-allow-origin
age
allow
authorization
cache-control
content-disposition
content-encoding
content-language
content-length
content-location
content-range
content-type
cookie
date
etag
expect
expires
from
host
if-match
if-modified-since
if-none-match
if-range
if-unmodified-since
last-modified
link
location
max-forwards
proxy-authenticate
proxy-authorization
range
referer
refresh
retry-after
server
set-cookie
strict-transport-security
transfer-encoding
user-agent
vary
via
www-authenticate`

// staticTable has the fields by index less one; staticNames has the lowest index of each name.
var staticTable, staticNames = func() (table []field, names map[string]int) {
	names = map[string]int{}
	for i, line := range strings.Split(staticFields, "\n") {
		name, value, _ := strings.Cut(line, " ")
		f := field{name: []byte(name), value: []byte(value)}
		f.classify()
		if strings.HasPrefix(name, ":status") {
			f.class = nameMalformed // an answer's
		}
		table = append(table, f)
		if names[name] == 0 {
			names[name] = i + 1
		}
	}
	return table, names
}()
