package edge

import "bytes"

// framed reports whether the end of a request is beyond doubt for everybody who reads it: the edge,
// and the proxy that may stand before it (RFC 9112 sections 5.2 and 6.3). headers is the header block
// as it came, without the request line. A request that is not framed must be refused and its
// connection closed: what follows on it may be somebody else's request.
func framed(headers []byte) bool {
	length, transfer := false, false
	for len(headers) > 0 {
		var line []byte
		line, headers, _ = bytes.Cut(headers, lineFeed)
		line = bytes.TrimSuffix(line, carriageReturn)
		if len(line) == 0 {
			continue
		}
		colon := bytes.IndexByte(line, ':')
		if colon <= 0 || bytes.IndexByte(line[:colon], ' ') >= 0 || bytes.IndexByte(line[:colon], '\t') >= 0 {
			return false // a folded line begins with a space, so that its name holds one or is empty
		}
		switch name := line[:colon]; {
		case len(name) == len(contentLength) && bytes.EqualFold(name, contentLength):
			length = true
		case len(name) == len(transferEncoding) && bytes.EqualFold(name, transferEncoding):
			if transfer || !bytes.EqualFold(bytes.TrimSpace(line[colon+1:]), chunked) {
				return false
			}
			transfer = true
		}
	}
	return !length || !transfer
}

var (
	lineFeed         = []byte{'\n'}
	carriageReturn   = []byte{'\r'}
	contentLength    = []byte("Content-Length")
	transferEncoding = []byte("Transfer-Encoding")
	chunked          = []byte("chunked")
)
