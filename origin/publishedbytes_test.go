package origin_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/livery/feedproto"
	"example.com/livery/origin"
	"example.com/livery/origin/derive"
	"example.com/livery/renderer"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
	"example.com/livery/wasm"
)

// cacheDir is where compiled modules are kept between test runs and between packages.
func cacheDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", ".cache", "wazero"))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func thisModule(t testing.TB) []byte {
	t.Helper()
	module, err := wasm.Guest()
	if err != nil {
		t.Fatal(err)
	}
	return module
}

// otherModule builds a module whose renderer spells colours with a space before them: these sources with one line replaced.
func otherModule(t testing.TB) []byte {
	t.Helper()
	dir := t.TempDir()
	source, err := filepath.Abs(filepath.Join("..", "renderer", "css", "color.go"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), `return append(dst, s...), nil`, `return append(append(dst, ' '), s...), nil`, 1)
	if changed == string(text) {
		t.Fatalf("%s spells colours in another way than this test expects", source)
	}
	copied, overlay, module := filepath.Join(dir, "color.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "module.wasm")
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{source: copied}})
	if err := errors.Join(err, os.WriteFile(copied, []byte(changed), 0o600), os.WriteFile(overlay, replace, 0o600)); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-overlay", overlay, "-buildvcs=false", "-buildmode=c-shared", "-trimpath", "-ldflags=-s -w -buildid=", "-o", module, "./wasm/guest")
	build.Dir = ".."
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build ./wasm/guest: %v\n%s", err, said)
	}
	built, err := os.ReadFile(module)
	if err != nil {
		t.Fatal(err)
	}
	return built
}

// publishedBy makes version 1 of a Theme what an origin with that module would have published: its records name the
// module and what it compiles.
func (h *testOrigin) publishedBy(module []byte, theme, variant string) {
	h.t.Helper()
	ctx := context.Background()
	digest := record.HashOf(module)
	if _, err := derive.Register(ctx, h.store, module, time.Now()); err != nil {
		h.t.Fatal(err)
	}
	runtime, err := wasm.NewRuntime(ctx, wasm.Config{CacheDir: cacheDir(h.t), Instances: 1})
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = runtime.Close(ctx) }()
	if err := runtime.Load(ctx, string(digest), module); err != nil {
		h.t.Fatal(err)
	}
	parts := strings.Split(variant, "/")
	environment, id, number := parts[2], parts[4], storage.Number(1)
	put := func(blob []byte, err error) record.Hash {
		h.t.Helper()
		var name record.Hash
		if err == nil {
			name, err = h.store.PutBlob(ctx, blob)
		}
		if err != nil {
			h.t.Fatal(err)
		}
		return name
	}
	blob := func(name record.Hash) []byte {
		h.t.Helper()
		text, err := h.store.Blob(ctx, name)
		if err != nil {
			h.t.Fatal(err)
		}
		return text
	}
	_, err = h.store.Update(ctx, environment, func(tx storage.Tx) (record.Change, error) {
		version, err := storage.ThemeVersions.Read(tx, environment, id, number)
		if err != nil {
			return record.Change{}, err
		}
		pair, err := storage.Pairs.Read(tx, environment, id, parts[6], number)
		if err != nil {
			return record.Change{}, err
		}
		source := wasm.Source{Theme: blob(version.Document), Overrides: blob(pair.Overrides), Prefix: version.Prefix}
		version.Module, version.Plan = digest, put(runtime.CompilePlan(ctx, string(digest), source))
		pair.Overlay = put(runtime.CompileOverlay(ctx, string(digest), source))
		return record.Change{EnvironmentID: environment, ThemeID: id, At: time.Now()}, errors.Join(
			storage.ThemeVersions.Write(tx, version, environment, id, number), storage.Pairs.Write(tx, pair, environment, id, parts[6], number))
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

// S171, decisions 6.5: another renderer changes no published byte, also if everything derived is lost and compiled again,
// which only the module can with which it was published; what is published now comes from this one.
func TestPublishedBytesStay_Long(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds another module: make check runs it")
	}
	t.Parallel()
	e, store := newLossy(t, func(c *origin.Config) { c.Guest, c.Compiled = thisModule(t), cacheDir(t) })
	theme := e.theme("brand")
	dark, light := e.variant(theme, "dark"), e.variant(theme, "light")
	e.patch(theme, red)
	e.publish(theme)
	e.patch(dark, `[{"operation":"set","path":"red","value":"#aa0000"}]`)
	e.publish(dark)
	module := otherModule(t)
	e.publishedBy(module, theme, dark)
	published := map[string]feedproto.Pair{"-": e.pair(theme, "-", "1"), idOf(dark): e.pair(theme, idOf(dark), "1")}
	files := func(p feedproto.Pair) (all [renderer.FileCount]string) {
		for f := range renderer.File(renderer.FileCount) {
			all[f] = e.file(p, f)
		}
		return all
	}
	want := map[string][renderer.FileCount]string{}
	for segment, p := range published {
		want[segment] = files(p)
		if p.Module != record.HashOf(module) || !strings.Contains(want[segment][renderer.TokensCSS], "--red:  #") {
			t.Fatalf("%s as the other module left it = %+v, %s", segment, p, want[segment][renderer.TokensCSS])
		}
	}
	still := func(when string) {
		t.Helper()
		for segment, p := range published {
			store.lose(p.Plan, p.Overlay)
			got := e.pair(theme, segment, "1")
			if got.Plan != p.Plan || got.Overlay != p.Overlay || got.Module != p.Module || files(got) != want[segment] {
				t.Errorf("%s: %s = %+v, want what the other module published: %+v", when, segment, got, p)
			}
		}
	}
	still("with everything derived lost")
	m := e.manifest(theme)
	e.served(theme, "-", m.Files, "1")
	e.served(theme, idOf(dark), m.Variants["dark"].Files, "1")

	// A Variant that is published now at version 1 is rendered by that version's module, too.
	e.patch(light, `[{"operation":"set","path":"red","value":"#00aa00"}]`)
	e.publish(light)
	if css := e.file(e.pair(theme, idOf(light), "1"), renderer.TokensCSS); !strings.Contains(css, "--red:  #00aa00;") {
		t.Errorf("a Variant published now at version 1 = %s, want that module's spelling", css)
	}

	e.patch(theme, `[{"operation":"replace","path":"/red/$value","value":"#ff0001"}]`)
	e.publish(theme)
	for segment, color := range map[string]string{"-": "#ff0001", idOf(dark): "#aa0000"} {
		p := e.pair(theme, segment, "latest")
		if css := e.file(p, renderer.TokensCSS); p.Module == record.HashOf(module) || !strings.Contains(css, "--red: "+color+";") {
			t.Errorf("version 2 of %s = %+v, %s, want this renderer's spelling of %s", segment, p, css, color)
		}
	}
	still("after a publish with this renderer")
	e.restart()
	still("after a restart")
}
