package console

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/valyala/fasthttp"

	"example.com/livery/origin/httpserver"
)

// The parts of the console's addresses.
const (
	index      = "index.html"
	assets     = "assets/"
	moduleFile = assets + "renderer.wasm"
	scriptFile = assets + "livery.mjs"
)

// How long browsers keep files: those with a digest in their names for ever, all others only to ask whether they are the
// same still.
const (
	forEver = "public, max-age=31536000, immutable"
	asked   = "no-cache"
)

// sizeHeader says how large the module is without its coding: the page counts what it has of it as it comes.
const sizeHeader = "X-Livery-Size"

// contentTypes are the types of the files, by the ends of their names.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".mjs": "text/javascript; charset=utf-8", ".json": "application/json", ".svg": "image/svg+xml", ".png": "image/png",
	".woff2": "font/woff2", ".wasm": "application/wasm", ".txt": "text/plain; charset=utf-8", ".webmanifest": "application/manifest+json",
}

// sourceHost is what a source of a policy may have for a host, with its port: its grammar leaves out addresses of IPv6.
var sourceHost = regexp.MustCompile(`^[A-Za-z0-9.-]+(:[0-9]+)?$`)

// policy returns the Content-Security-Policy of the page. edges are addresses of edges, of which it names scheme and host:
// a source with a path would allow that path alone. The page loads and sends nothing beyond this origin, but for what the
// edges serve; it shows pages of any site in a frame, the user's own, and stands in no frame itself.
func policy(edges []string) string {
	connect := []string{"'self'"}
	for _, edge := range edges {
		if u, err := url.Parse(edge); err == nil && sourceHost.MatchString(u.Host) {
			connect = append(connect, u.Scheme+"://"+u.Host)
		}
	}
	return "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
		"connect-src " + strings.Join(connect, " ") + "; worker-src 'self'; frame-src *; base-uri 'none'; " +
		"form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
}

// permissions closes what the page does not need.
const permissions = "accelerometer=(), camera=(), display-capture=(), encrypted-media=(), geolocation=(), gyroscope=(), " +
	"magnetometer=(), microphone=(), midi=(), payment=(), publickey-credentials-get=(), screen-wake-lock=(), usb=(), xr-spatial-tracking=()"

// readFiles returns the files of the console by their addresses below /console/, which lack the .gz of a file that is there
// in gzip.
func readFiles(c Config) (map[string]*httpserver.Static, error) {
	files := map[string]*httpserver.Static{}
	err := fs.WalkDir(c.Files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := fs.ReadFile(c.Files, name)
		if err != nil {
			return err
		}
		name, packed := strings.CutSuffix(name, ".gz")
		contentType := contentTypes[path.Ext(name)]
		if contentType == "" {
			return nil // such as a note for people who read the folder
		}
		cache, more := asked, safeHeaders
		if strings.HasPrefix(name, assets) {
			cache = forEver
		}
		if name == index {
			more = slices.Concat(pageHeaders, []httpserver.Header{{Name: fasthttp.HeaderContentSecurityPolicy, Value: policy(c.Edges)}})
		}
		if packed {
			files[name], err = httpserver.NewStaticGzip(body, contentType, cachedAs(cache, more)...)
			return err
		}
		files[name] = httpserver.NewStatic(body, contentType, cachedAs(cache, more)...)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("console: read the files: %w", err)
	}
	if files[index] == nil {
		return nil, errors.New("console: the files lack index.html")
	}
	size := httpserver.Header{Name: sizeHeader, Value: strconv.Itoa(len(c.Module))}
	files[moduleFile] = httpserver.NewStatic(c.Module, contentTypes[".wasm"], cachedAs(asked, append(slices.Clone(safeHeaders), size))...)
	files[scriptFile] = httpserver.NewStatic(c.Script, contentTypes[".mjs"], cachedAs(asked, safeHeaders)...)
	return files, nil
}

func cachedAs(cache string, headers []httpserver.Header) []httpserver.Header {
	return slices.Concat(headers, []httpserver.Header{{Name: fasthttp.HeaderCacheControl, Value: cache}})
}

// The headers of every file, and those of the page.
var (
	safeHeaders = []httpserver.Header{
		{Name: fasthttp.HeaderReferrerPolicy, Value: "no-referrer"}, {Name: "Cross-Origin-Resource-Policy", Value: "same-origin"},
	}
	pageHeaders = slices.Concat(safeHeaders, []httpserver.Header{
		{Name: "Cross-Origin-Opener-Policy", Value: "same-origin"}, {Name: "Permissions-Policy", Value: permissions},
	})
)
