//go:build linux

package edge

// scenario is one kind of traffic.
type scenario struct {
	name    string
	path    string
	query   string   // with its "?"
	headers []string // more lines
	conns   int
	depth   int  // requests that are sent at once in HTTP/1.1
	streams int  // at once on each connection, in HTTP/2; 0: HTTP/1.1
	full    bool // a new connection for each request, with a whole handshake
	current bool // asks whether a copy is current
}

var (
	asGzip        = []string{"Accept-Encoding: gzip"}
	closed        = []string{"Connection: close"}
	chromeHeaders = []string{
		"Connection: keep-alive", `sec-ch-ua-platform: "Linux"`,
		"User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36",
		`sec-ch-ua: "Chromium";v="156", "Not/A)Brand";v="24", "Google Chrome";v="156"`, "sec-ch-ua-mobile: ?0", "Accept: text/css,*/*;q=0.1",
		"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: style", "Referer: http://site.example/",
		"Accept-Language: en-GB,en;q=0.9,de;q=0.8",
	}
	clientHeaders = []string{"Authorization: Bearer 0123456789abcdef0123456789abcdef", "Content-Type: application/json", "Tenant: a", "TE: trailers"}
)

// scenarios are the ones of the project's performance plan.
var scenarios = []scenario{
	{name: "2 KB, 64 connections", path: "/2k.css", conns: 64},
	{name: "20 KB as gzip", path: "/20k.css", headers: asGzip, conns: 64},
	{name: "2 KB, Chrome's headers", path: "/2k.css", headers: chromeHeaders, conns: 64},
	{name: "304", path: "/2k.css", conns: 64, current: true},
	{name: "2 KB, 512 connections", path: "/2k.css", conns: 512},
	{name: "2 KB, a new connection each", path: "/2k.css", headers: closed, conns: 64},
	{name: "2 KB, 1 connection", path: "/2k.css", conns: 1},
	{name: "2 KB as gzip", path: "/2k.css", headers: asGzip, conns: 64},
	{name: "20 KB as gzip, 512 connections", path: "/20k.css", headers: asGzip, conns: 512},
	{name: "20 KB identity", path: "/20k.css", conns: 64},
	{name: "200 KB identity", path: "/200k.css", conns: 64},
	{name: "200 KB as gzip", path: "/200k.css", headers: asGzip, conns: 64},
	{name: "2 KB, pipeline of 16", path: "/2k.css", conns: 64, depth: 16},
	{name: "2 KB with a query", path: "/2k.css", query: "?v=1", conns: 64},
	{name: "2 KB, an HTTP client's headers", path: "/2k.css", headers: clientHeaders, conns: 64},
	{name: "2 KB, left to fasthttp", path: "/2k.css", headers: []string{"If-Match: *"}, conns: 64},
}

// secureScenarios are those under TLS. wrk resumes the session of the connection before.
var secureScenarios = []scenario{
	{name: "TLS, HTTP/1.1, 2 KB", path: "/2k.css", conns: 32},
	{name: "TLS, HTTP/1.1, 20 KB as gzip", path: "/20k.css", headers: asGzip, conns: 32},
	{name: "TLS, HTTP/1.1, 2 KB, Chrome's headers", path: "/2k.css", headers: chromeHeaders, conns: 32},
	{name: "TLS, HTTP/1.1, 2 KB, a new connection each, resumed", path: "/2k.css", headers: closed, conns: 8},
	{name: "TLS, HTTP/1.1, 2 KB, a new connection each, not resumed", path: "/2k.css", full: true},
	{name: "TLS, HTTP/2, 2 KB, 1 stream", path: "/2k.css", conns: 8, streams: 1},
	{name: "TLS, HTTP/2, 2 KB, 10 streams", path: "/2k.css", conns: 8, streams: 10},
	{name: "TLS, HTTP/2, 20 KB as gzip, 10 streams", path: "/20k.css", headers: asGzip, conns: 8, streams: 10},
	{name: "TLS, HTTP/2, 2 KB, Chrome's headers, 10 streams", path: "/2k.css", headers: chromeHeaders[1:], conns: 8, streams: 10},
}

// fileSizes are the files that every server serves, about so many bytes long.
var fileSizes = map[string]int{"2k.css": 2 << 10, "20k.css": 20 << 10, "200k.css": 200 << 10}
