package wasm

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// modules is the folder that `make wasm` builds into. It is embedded whole, so that this package
// compiles before the first build too.
//
//go:embed module
var modules embed.FS

// ErrNoGuest is returned by Guest in a binary that was built without the renderer module.
var ErrNoGuest = errors.New("wasm: this binary was built without the renderer module: run `make wasm` and build again")

// Guest returns a copy of the renderer module that this binary was built with, or ErrNoGuest.
func Guest() ([]byte, error) {
	module, err := modules.ReadFile("module/renderer.wasm")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNoGuest
	}
	return module, err
}

// Digest returns the name of a module: its SHA-256 in 64 lower-case hexadecimal digits.
func Digest(module []byte) string {
	sum := sha256.Sum256(module)
	return hex.EncodeToString(sum[:])
}

// Info is what a module says of itself.
type Info struct {
	ABIVersion  uint32 // the contract it was built for
	CoreVersion string // the renderer's version
	Digest      string // SHA-256, hexadecimal
	Size        int    // bytes
}

// Inspect asks a module for its versions. It interprets the module, so that nothing is compiled, in
// a runtime of its own, which costs some 100 ms. The error says where the module breaks the contract.
func Inspect(ctx context.Context, module []byte) (Info, error) {
	config := wazero.NewRuntimeConfigInterpreter().WithMemoryLimitPages(memoryPages)
	engine := wazero.NewRuntimeWithConfig(ctx, config)
	defer engine.Close(context.WithoutCancel(ctx))
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, engine); err != nil {
		return Info{}, fmt.Errorf("wasm: inspect: %w", err)
	}
	compiled, err := engine.CompileModule(ctx, module)
	if err != nil {
		return Info{}, fmt.Errorf("wasm: inspect: %w", err)
	}
	in, err := newInstance(ctx, engine, compiled)
	if err != nil {
		return Info{}, fmt.Errorf("wasm: inspect: %w", err)
	}
	return Info{in.info.Version, in.core, Digest(module), len(module)}, nil
}
