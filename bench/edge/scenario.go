//go:build linux

package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
)

// scenario is one kind of traffic.
type scenario struct {
	name    string
	path    string
	query   string // with its "?"
	headers string // more lines, each ended by CRLF
	conns   int
	depth   int  // requests that are sent at once
	fresh   bool // a new connection for each request
	current bool // asks whether a copy is current
	reach   float64
}

const chromeHeaders = "Connection: keep-alive\r\n" + `sec-ch-ua-platform: "Linux"` + "\r\n" +
	"User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36\r\n" +
	`sec-ch-ua: "Chromium";v="156", "Not/A)Brand";v="24", "Google Chrome";v="156"` + "\r\nsec-ch-ua-mobile: ?0\r\nAccept: text/css,*/*;q=0.1\r\n" +
	"Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: style\r\nReferer: http://site.example/\r\n" +
	"Accept-Language: en-GB,en;q=0.9,de;q=0.8\r\n"

// scenarios are the ones of the project's performance plan; reach is the ratio to nginx that it asks for.
var scenarios = []scenario{
	{name: "2 KB, 64 connections", path: "/2k.css", conns: 64, depth: 1, reach: 1.2},
	{name: "20 KB as gzip", path: "/20k.css", headers: "Accept-Encoding: gzip\r\n", conns: 64, depth: 1, reach: 1.4},
	{name: "2 KB, Chrome's headers", path: "/2k.css", headers: chromeHeaders, conns: 64, depth: 1},
	{name: "304", path: "/2k.css", conns: 64, depth: 1, current: true, reach: 1.2},
	{name: "2 KB, 512 connections", path: "/2k.css", conns: 512, depth: 1, reach: 1.3},
	{name: "2 KB, a new connection each", path: "/2k.css", headers: "Connection: close\r\n", conns: 64, depth: 1, fresh: true, reach: 1},
	{name: "2 KB, 1 connection", path: "/2k.css", conns: 1, depth: 1},
	{name: "2 KB as gzip", path: "/2k.css", headers: "Accept-Encoding: gzip\r\n", conns: 64, depth: 1},
	{name: "20 KB as gzip, 512 connections", path: "/20k.css", headers: "Accept-Encoding: gzip\r\n", conns: 512, depth: 1},
	{name: "20 KB identity", path: "/20k.css", conns: 64, depth: 1, reach: 1},
	{name: "200 KB identity", path: "/200k.css", conns: 64, depth: 1, reach: 0.8},
	{name: "200 KB as gzip", path: "/200k.css", headers: "Accept-Encoding: gzip\r\n", conns: 64, depth: 1},
	{name: "2 KB, pipeline of 16", path: "/2k.css", conns: 64, depth: 16},
	{name: "2 KB with a query", path: "/2k.css", query: "?v=1", conns: 64, depth: 1},
	{name: "2 KB, an unknown header", path: "/2k.css", headers: "X-Unknown: 1\r\n", conns: 64, depth: 1},
	{name: "2 KB, left to fasthttp", path: "/2k.css", headers: "TE: trailers\r\n", conns: 64, depth: 1},
}

// fileSizes are the files that every server serves, in bytes.
var fileSizes = map[string]int{"2k.css": 2 << 10, "20k.css": 20 << 10, "200k.css": 200 << 10}

// writeFiles writes them, and beside each what it is as gzip.
func writeFiles(dir string) error {
	for name, size := range fileSizes {
		body := stylesheet(size)
		var zipped bytes.Buffer
		w, err := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
		if err != nil {
			return err
		}
		if _, err := w.Write(body); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
		for path, content := range map[string][]byte{name: body, name + ".gz": zipped.Bytes()} {
			if err := os.WriteFile(filepath.Join(dir, path), content, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// stylesheet makes custom properties of that many bytes; they compress as a real design system's do.
func stylesheet(size int) []byte {
	b := []byte(":root {\n")
	for i := uint32(1); len(b) < size; i++ {
		h := i * 2654435761
		b = fmt.Appendf(b, "  --color-%s-%d-%s: #%06x;\n", []string{"fg", "bg", "border", "accent"}[h>>30], i%97, []string{"rest", "hover", "active"}[h>>8%3], h&0xffffff)
	}
	return append(b[:size-2], "}\n"...)
}
