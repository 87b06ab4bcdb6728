// Package house checks the sources, the documents and the built program as a whole.
package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestMain runs the tests at the root of the repository.
func TestMain(m *testing.M) {
	if err := os.Chdir(filepath.Join("..", "..")); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

const modulePath = "example.com/livery/"

// room says what a package may import beside the standard library: packages of ours, and modules of
// others. A guest room runs inside the renderer module and may import no more of the standard
// library than guestLibrary.
type room struct {
	ours   string
	others string
	guest  bool
}

// house is the import table. A new arrow is a design decision: it changes this table and ARCHITECTURE.md
// in one commit.
var house = map[string]room{
	".":                           {ours: "cli"},
	"cli":                         {ours: "cli/account cli/admin cli/ci cli/cmdline cli/serve cli/target cli/term cli/themes cli/tokens cli/tokens/changeset client docs/site origin/api renderer wasm", others: "github.com/spf13/cobra github.com/spf13/pflag"},
	"cli/account":                 {ours: "cli/cmdline cli/device cli/escape cli/localfile cli/target cli/term client", others: "github.com/spf13/cobra"},
	"cli/admin":                   {ours: "cli/account cli/cmdline cli/escape cli/localfile cli/process cli/term edge/address edge/policy httpd/guard internal/yamlfile origin origin/operator storage storage/dump storage/pebble storage/postgres storage/record", others: "github.com/spf13/cobra"},
	"cli/ci":                      {ours: "cli/account cli/cmdline cli/escape cli/target cli/term client", others: "github.com/spf13/cobra"},
	"cli/cmdline":                 {ours: "cli/term internal/yamlfile origin/operator storage/postgres", others: "github.com/spf13/cobra github.com/spf13/pflag"},
	"cli/device":                  {},
	"cli/escape":                  {},
	"cli/localfile":               {others: "github.com/gofrs/flock"},
	"cli/page":                    {ours: "cli/escape cli/tokens/export renderer renderer/css renderer/dtcg renderer/jsontree"},
	"cli/process":                 {ours: "cli/escape cli/localfile cli/term httpd/guard", others: "github.com/prometheus/client_golang"},
	"cli/serve":                   {ours: "cli/account cli/admin cli/cmdline cli/localfile cli/process cli/term cli/themes cli/tokens/changeset client console docs/site edge httpd httpd/guard origin origin/operator renderer/jsontree storage storage/record wasm", others: "github.com/prometheus/client_golang github.com/spf13/cobra"},
	"cli/target":                  {ours: "cli/cmdline cli/term client", others: "github.com/spf13/cobra"},
	"cli/term":                    {ours: "cli/escape cli/localfile client internal/spelling", others: "github.com/spf13/cobra golang.org/x/term"},
	"cli/themes":                  {ours: "cli/account cli/cmdline cli/target cli/term cli/tokens/changeset client internal/yamlfile renderer", others: "github.com/spf13/cobra"},
	"cli/tokens":                  {ours: "cli/account cli/cmdline cli/escape cli/localfile cli/page cli/target cli/term cli/themes cli/tokens/changeset cli/tokens/export cli/tokens/scan cli/tokens/source client intake intake/references intake/tree origin/theming renderer renderer/dtcg renderer/jsontree storage/record", others: "github.com/spf13/cobra"},
	"cli/tokens/changeset":        {ours: "cli/escape cli/term client intake/tree origin/patch origin/theming renderer renderer/dtcg renderer/jsontree storage/record"},
	"cli/tokens/export":           {ours: "cli/escape renderer renderer/css renderer/dtcg renderer/jsontree"},
	"cli/tokens/scan":             {ours: "cli/escape cli/localfile cli/tokens/export internal/spelling renderer/css", others: "github.com/bmatcuk/doublestar/v4"},
	"cli/tokens/source":           {ours: "cli/escape cli/target cli/term cli/tokens/changeset client intake intake/model intake/tree intake/value origin/theming renderer renderer/dtcg renderer/jsontree", others: "github.com/spf13/cobra"},
	"client":                      {},
	"console":                     {},
	"console/theme":               {ours: "renderer renderer/modesheet"},
	"deploy/manual":               {ours: "cli", others: "github.com/spf13/cobra"},
	"deploy/sbom":                 {},
	"docs/site":                   {ours: "renderer/jsontree", others: "github.com/yuin/goldmark"},
	"edge":                        {ours: "edge/address edge/blobs edge/coding edge/content edge/diskcache edge/live edge/policy edge/records edge/relay edge/respond edge/upstream feedproto httpd httpd/guard storage/record wasm wasm/abi", others: "github.com/prometheus/client_golang github.com/valyala/fasthttp"},
	"edge/address":                {ours: "feedproto wasm/abi"},
	"edge/blobs":                  {ours: "edge/diskcache edge/upstream feedproto storage/record", others: "golang.org/x/sync"},
	"edge/coding":                 {ours: "wasm/abi", others: "github.com/andybalholm/brotli github.com/klauspost/compress"},
	"edge/content":                {ours: "edge/coding edge/memcache feedproto httpd/guard storage/record wasm wasm/abi", others: "golang.org/x/sync"},
	"edge/diskcache":              {ours: "edge/memcache feedproto storage/record", others: "github.com/go-json-experiment/json"},
	"edge/live":                   {ours: "httpd httpd/guard"},
	"edge/memcache":               {},
	"edge/policy":                 {ours: "edge/address httpd/guard storage/record"},
	"edge/records":                {ours: "edge/address edge/content edge/diskcache edge/live edge/memcache edge/policy edge/upstream feedproto httpd/guard storage/record wasm/abi", others: "golang.org/x/sync"},
	"edge/relay":                  {ours: "edge/address edge/records edge/respond edge/upstream feedproto httpd httpd/guard storage/record", others: "github.com/valyala/fasthttp"},
	"edge/respond":                {ours: "edge/coding edge/content httpd/guard wasm/abi", others: "github.com/valyala/fasthttp"},
	"edge/upstream":               {ours: "feedproto storage/record", others: "github.com/go-json-experiment/json"},
	"feedproto":                   {ours: "storage/record", others: "github.com/go-json-experiment/json github.com/valyala/fasthttp"},
	"httpd":                       {ours: "httpd/guard httpd/h2 httpd/loop", others: "github.com/valyala/fasthttp"},
	"httpd/guard":                 {others: "github.com/valyala/fasthttp"},
	"httpd/h2":                    {ours: "httpd/guard httpd/loop", others: "github.com/valyala/fasthttp golang.org/x/net"},
	"httpd/loop":                  {ours: "httpd/guard", others: "github.com/valyala/fasthttp golang.org/x/sys"},
	"intake":                      {ours: "intake/form intake/model intake/syntax intake/system internal/spelling internal/yamlfile renderer/jsontree"},
	"intake/check":                {ours: "intake/model intake/tree intake/value renderer/css renderer/dtcg renderer/jsontree"},
	"intake/compute":              {ours: "intake/cssvalue intake/model intake/tree intake/value renderer/css renderer/dtcg renderer/jsontree"},
	"intake/cssvalue":             {ours: "intake/model renderer/css renderer/jsontree"},
	"intake/form":                 {ours: "intake/cssvalue intake/model intake/syntax intake/tree intake/value internal/spelling renderer/css renderer/dtcg renderer/jsontree"},
	"intake/model":                {ours: "intake/syntax renderer/jsontree"},
	"intake/references":           {ours: "intake/model intake/tree internal/spelling renderer/dtcg renderer/jsontree"},
	"intake/syntax":               {ours: "renderer/jsontree", others: "github.com/goccy/go-yaml github.com/tdewolff/parse/v2"},
	"intake/system":               {ours: "intake/check intake/compute intake/cssvalue intake/model intake/references intake/tree internal/spelling renderer/dtcg renderer/jsontree"},
	"intake/tree":                 {ours: "renderer/dtcg renderer/jsontree"},
	"intake/value":                {ours: "intake/tree internal/spelling renderer/css renderer/dtcg renderer/jsontree"},
	"internal/spelling":           {},
	"internal/test/certtest":      {},
	"internal/test/floods":        {},
	"internal/test/heaptest":      {},
	"internal/test/postgrestest":  {others: "github.com/jackc/pgx/v5"},
	"internal/test/program":       {ours: "internal/test/race"},
	"internal/test/race":          {},
	"internal/test/sameseed":      {others: "pgregory.net/rapid"},
	"internal/test/storagetest":   {ours: "storage storage/record", others: "pgregory.net/rapid"},
	"internal/test/tokentreetest": {ours: "renderer/jsontree", others: "pgregory.net/rapid"},
	"internal/yamlfile":           {ours: "internal/spelling renderer/jsontree", others: "go.yaml.in/yaml/v3"},
	"origin":                      {ours: "docs/site origin/api origin/auth origin/console origin/cors origin/derive origin/documents origin/feed origin/httpserver origin/maintenance origin/metrics origin/operator origin/session origin/share origin/webhooks storage storage/record wasm", others: "github.com/prometheus/client_golang github.com/valyala/fasthttp"},
	"origin/api":                  {ours: "feedproto internal/yamlfile origin/api/bulk origin/api/listing origin/api/queryparam origin/auth origin/cors origin/derive origin/events origin/httpserver origin/manifest origin/metrics origin/modes origin/operator origin/patch origin/share origin/theming origin/webhooks renderer renderer/jsontree renderer/modesheet storage storage/record", others: "github.com/fasthttp/router github.com/go-json-experiment/json github.com/valyala/fasthttp"},
	"origin/api/bulk":             {ours: "origin/theming renderer/jsontree storage/record", others: "github.com/go-json-experiment/json"},
	"origin/api/listing":          {ours: "origin/lru storage storage/record"},
	"origin/api/queryparam":       {ours: "internal/spelling renderer/jsontree"},
	"origin/auth":                 {ours: "renderer/jsontree storage storage/record", others: "github.com/golang-jwt/jwt/v5"},
	"origin/console":              {ours: "origin/auth origin/httpserver origin/metrics origin/session origin/theming storage", others: "github.com/go-json-experiment/json github.com/valyala/fasthttp"},
	"origin/cors":                 {ours: "origin/httpserver", others: "github.com/valyala/fasthttp"},
	"origin/derive":               {ours: "origin/lru origin/modes renderer renderer/jsontree renderer/modesheet renderer/plan storage storage/record wasm wasm/abi", others: "golang.org/x/sync"},
	"origin/documents":            {ours: "docs/site origin/httpserver origin/metrics origin/theming", others: "github.com/valyala/fasthttp"},
	"origin/events":               {ours: "storage storage/record", others: "github.com/go-json-experiment/json"},
	"origin/feed":                 {ours: "feedproto origin/auth origin/derive origin/httpserver origin/manifest origin/modes origin/theming renderer/modesheet storage storage/record", others: "github.com/fasthttp/router github.com/go-json-experiment/json github.com/valyala/fasthttp"},
	"origin/httpserver":           {ours: "httpd/guard origin/share origin/theming renderer/jsontree", others: "github.com/andybalholm/brotli github.com/fasthttp/router github.com/klauspost/compress github.com/valyala/fasthttp golang.org/x/time"},
	"origin/lru":                  {},
	"origin/maintenance":          {ours: "feedproto origin/auth origin/events origin/httpserver origin/operator storage storage/record", others: "github.com/prometheus/client_golang github.com/valyala/fasthttp"},
	"origin/manifest":             {ours: "origin/derive origin/theming renderer storage storage/record"},
	"origin/metrics":              {ours: "storage storage/record", others: "github.com/prometheus/client_golang"},
	"origin/modes":                {ours: "renderer/jsontree renderer/modesheet storage/record"},
	"origin/operator":             {ours: "origin/auth origin/derive origin/httpserver origin/session origin/theming storage storage/record", others: "github.com/fasthttp/router github.com/go-json-experiment/json github.com/oklog/ulid/v2 github.com/valyala/fasthttp"},
	"origin/patch":                {ours: "renderer/jsontree storage/record"},
	"origin/session":              {ours: "origin/auth origin/httpserver storage storage/record", others: "github.com/go-json-experiment/json github.com/valyala/fasthttp"},
	"origin/share":                {},
	"origin/theming":              {ours: "origin/patch renderer renderer/dtcg renderer/jsontree storage/record"},
	"origin/webhooks":             {ours: "origin/auth origin/events storage storage/record", others: "github.com/go-json-experiment/json github.com/prometheus/client_golang golang.org/x/net"},
	"renderer":                    {ours: "renderer/css renderer/dtcg renderer/jsontree renderer/plan", guest: true},
	"renderer/css":                {ours: "renderer/jsontree", guest: true},
	"renderer/dtcg":               {ours: "renderer/css renderer/jsontree", guest: true},
	"renderer/jsontree":           {guest: true},
	"renderer/modesheet":          {ours: "renderer/css"},
	"renderer/plan":               {guest: true},
	"storage":                     {ours: "storage/record", others: "github.com/klauspost/compress"},
	"storage/dump":                {ours: "storage storage/record", others: "github.com/klauspost/compress"},
	"storage/pebble":              {ours: "storage storage/pebble/admission storage/pebble/watchdog storage/record", others: "github.com/cockroachdb/pebble/v2 golang.org/x/sync"},
	"storage/pebble/admission":    {ours: "storage", others: "github.com/cockroachdb/pebble/v2"},
	"storage/pebble/watchdog":     {},
	"storage/postgres":            {ours: "storage storage/record", others: "github.com/jackc/pgx/v5 github.com/maypok86/otter/v2"},
	"storage/record":              {others: "github.com/go-json-experiment/json"},
	"wasm":                        {ours: "renderer renderer/plan wasm/abi", others: "github.com/klauspost/compress github.com/tetratelabs/wazero"},
	"wasm/abi":                    {guest: true},
	"wasm/guest":                  {ours: "renderer renderer/jsontree renderer/plan wasm/abi", guest: true},
}

// guestLibrary is what guest code may import of the standard library: text and numbers, and a hash for its
// tables. The guest's main package may also place bytes in memory.
const (
	guestLibrary     = "bytes cmp errors hash/maphash math math/bits slices sort strconv strings unicode/utf8"
	guestMainLibrary = guestLibrary + " runtime unsafe"
)

// TestHouseImports holds every package to its row of the table.
func TestHouseImports(t *testing.T) {
	for dir, files := range sources(t) {
		row, known := house[dir]
		if !known {
			t.Errorf("package %s is not in the import table", dir)
			continue
		}
		for _, f := range files {
			for _, spec := range f.syntax.Imports {
				if what := row.refuses(dir, strings.Trim(spec.Path.Value, `"`)); what != "" {
					t.Errorf("%s imports %s, %s", f.name, spec.Path.Value, what)
				}
			}
		}
	}
}

// TestYAMLReaders: files that people write are read by internal/yamlfile alone, whose rules hold everywhere. Token files have a reader of
// their own, since their scalars are values of tokens, and origin/api reads a document that is built in.
func TestYAMLReaders(t *testing.T) {
	for dir, files := range sources(t) {
		for _, f := range files {
			for _, spec := range f.syntax.Imports {
				if strings.Contains(spec.Path.Value, "yaml") && !strings.Contains(spec.Path.Value, modulePath) && !slices.Contains([]string{"internal/yamlfile", "cli/tokenfile/syntax", "intake/syntax", "origin/api"}, dir) {
					t.Errorf("%s imports %s: read the file with internal/yamlfile", f.name, spec.Path.Value)
				}
			}
		}
	}
}

// refuses says why a package may not import another, or "".
func (r room) refuses(dir, imported string) string {
	first, _, _ := strings.Cut(imported, "/")
	switch {
	case strings.HasPrefix(imported, modulePath):
		if !slices.Contains(strings.Fields(r.ours), strings.TrimPrefix(imported, modulePath)) {
			return "which its row of the table does not allow"
		}
	case strings.Contains(first, "."):
		for _, module := range strings.Fields(r.others) {
			if imported == module || strings.HasPrefix(imported, module+"/") {
				return ""
			}
		}
		return "a module that its row of the table does not allow"
	case r.guest:
		library := guestLibrary
		if dir == "wasm/guest" {
			library = guestMainLibrary
		}
		if !slices.Contains(strings.Fields(library), imported) {
			return "which does not belong into the guest"
		}
	}
	return ""
}

// TestHouseTableHasNoDeadRow keeps the table from naming packages that are gone, and from closing a
// circle of rooms.
func TestHouseTableHasNoDeadRow(t *testing.T) {
	all := sources(t)
	for dir, row := range house {
		if all[dir] == nil {
			t.Errorf("the import table names package %s, which does not exist", dir)
		}
		for _, below := range strings.Fields(row.ours) {
			if _, known := house[below]; !known {
				t.Errorf("the row of %s allows %s, which is not in the table", dir, below)
			}
			if slices.Contains(strings.Fields(house[below].ours), dir) {
				t.Errorf("the table lets %s and %s import each other", dir, below)
			}
		}
	}
}

// TestHouseOriginAndEdgeDoNotKnowEachOther keeps a later row from joining them: they share records, the
// renderer's host and the bytes of the feed.
func TestHouseOriginAndEdgeDoNotKnowEachOther(t *testing.T) {
	for dir := range house {
		ours := strings.Fields(house[dir].ours)
		switch first, _, _ := strings.Cut(dir, "/"); first {
		case "origin":
			if slices.ContainsFunc(ours, func(s string) bool { return s == "edge" || strings.HasPrefix(s, "edge/") }) {
				t.Errorf("%s may import the edge", dir)
			}
		case "edge":
			if slices.ContainsFunc(ours, func(s string) bool { return s == "origin" || strings.HasPrefix(s, "origin/") }) {
				t.Errorf("%s may import the origin", dir)
			}
		}
	}
}

// TestHousePackagesAreDocumented wants one true-looking comment for every package and exported name.
func TestHousePackagesAreDocumented(t *testing.T) {
	for dir, files := range sources(t) {
		documented := false
		for _, f := range files {
			documented = documented || strings.HasPrefix(f.syntax.Doc.Text(), "Package ") || strings.HasPrefix(f.syntax.Doc.Text(), "Command ")
			undocumented(f, func(name string) { t.Errorf("%s: %s is exported and has no comment", f.name, name) })
		}
		if !documented {
			t.Errorf("package %s has no comment that begins with Package or Command", dir)
		}
	}
}

// undocumented reports the exported functions, methods of exported types and types without a
// comment. Values may share the comment of their block.
func undocumented(f source, report func(name string)) {
	for _, d := range f.syntax.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && d.Doc.Text() == "" && exportedReceiver(d) && !standardMethod(d) {
				report(d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					if spec.Name.IsExported() && d.Doc.Text() == "" && spec.Doc.Text() == "" {
						report(spec.Name.Name)
					}
				case *ast.ValueSpec:
					if spec.Names[0].IsExported() && d.Doc.Text() == "" && spec.Doc.Text() == "" && spec.Comment.Text() == "" {
						report(spec.Names[0].Name)
					}
				}
			}
		}
	}
}

func exportedReceiver(d *ast.FuncDecl) bool {
	return d.Recv == nil || ast.IsExported(receiverName(d.Recv.List[0].Type))
}

// standardMethod reports whether the method's meaning is fixed by the language's library.
func standardMethod(d *ast.FuncDecl) bool {
	return d.Recv != nil && slices.Contains([]string{"Error", "Unwrap", "String"}, d.Name.Name)
}

// TestHouseNames refuses package names that say nothing.
func TestHouseNames(t *testing.T) {
	for dir := range sources(t) {
		if slices.Contains([]string{"util", "common", "helpers", "types", "manager", "service", "base", "impl"}, path.Base(dir)) {
			t.Errorf("package %s: a package is named for what it gives", dir)
		}
	}
}

// receiverName returns the name of a receiver's type, without pointer and type parameters.
func receiverName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiverName(e.X)
	case *ast.IndexExpr:
		return receiverName(e.X)
	case *ast.IndexListExpr:
		return receiverName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// bannedWords never stand in the tree: absolute paths of one machine, hosts of registries, and
// promises without a number.
var bannedWords = []*regexp.Regexp{
	regexp.MustCompile(`(^|[^a-zA-Z0-9_.)}$/-])/(w` + `ork|f` + `arm|r` + `oot|h` + `ome)/[a-z]`),
	regexp.MustCompile(`\b(proxy|registry|sum|deb|security)\.[a-z]+\.(o` + `rg|c` + `om)\b`),
	regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b`),
}

// TestHouseBannedWords reads every text of the tree.
func TestHouseBannedWords(t *testing.T) {
	walk(t, func(name string) {
		switch path.Ext(name) {
		case ".go", ".md", ".mod", ".txtar", ".yaml", ".yml", ".json", ".sh", "":
		default:
			return
		}
		text := read(t, name)
		for _, banned := range bannedWords {
			for i, line := range strings.Split(text, "\n") {
				if len(line) < 4096 && banned.MatchString(line) {
					t.Errorf("%s:%d holds %q", name, i+1, banned.FindString(line))
				}
			}
		}
	})
}

// source is one Go file that is not a test.
type source struct {
	name   string
	text   string
	syntax *ast.File
}

// otherModules are the folders with a go.mod of their own, which says what they may import.
var otherModules = regexp.MustCompile(`^(bench|deploy/release)/`)

// sources returns the Go files of the module by folder, without tests.
func sources(t *testing.T) map[string][]source {
	t.Helper()
	all := map[string][]source{}
	walk(t, func(name string) {
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || strings.Contains(name, "testdata/") || otherModules.MatchString(name) {
			return
		}
		text := read(t, name)
		syntax, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		all[path.Dir(name)] = append(all[path.Dir(name)], source{name, text, syntax})
	})
	return all
}

// walk calls each for every file of the tree that is ours.
func walk(t *testing.T, each func(name string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "bin", "node_modules", ".livery", ".cache"}, d.Name()):
			return fs.SkipDir
		case d.Type().IsRegular():
			each(filepath.ToSlash(name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
