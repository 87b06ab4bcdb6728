package wasm

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/binary"
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

// Script is the JavaScript module livery.mjs, which runs the renderer module in browsers.
//
//go:embed livery.mjs
var Script []byte

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
	ABIVersion    uint32 // the contract it was built for
	CoreVersion   string // the renderer's version
	PlanFormat    uint32 // of the plans that it reads and writes
	OverlayFormat uint32 // of the overlays that it reads and writes
	Toolchain     string // the compiler that built it, such as "go1.26.8"; empty: the module does not say
	Digest        string // SHA-256, hexadecimal
	Size          int    // bytes
}

// Inspect asks a module for its versions. It interprets the module, so that nothing is compiled, in
// a runtime of its own, which costs some 100 ms. The error is ErrModule and says what breaks the
// contract.
func Inspect(ctx context.Context, module []byte) (Info, error) {
	if len(module) > MaxModuleBytes {
		return Info{}, fmt.Errorf("wasm: inspect: %w: it has %d bytes, more than %d", ErrModule, len(module), MaxModuleBytes)
	}
	config := wazero.NewRuntimeConfigInterpreter().WithMemoryLimitPages(renderMemory / pageBytes).WithCustomSections(true)
	engine := wazero.NewRuntimeWithConfig(ctx, config)
	defer engine.Close(context.WithoutCancel(ctx))
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, engine); err != nil {
		return Info{}, fmt.Errorf("wasm: inspect: %w", err)
	}
	compiled, err := engine.CompileModule(ctx, module)
	if err != nil {
		return Info{}, fmt.Errorf("wasm: inspect: %w: %w", ErrModule, err)
	}
	in, err := newInstance(ctx, engine, compiled)
	if err != nil {
		return Info{}, fmt.Errorf("wasm: inspect: %w", err)
	}
	return Info{
		ABIVersion: in.info.Version, CoreVersion: in.core, PlanFormat: in.info.PlanFormat, OverlayFormat: in.info.OverlayFormat,
		Toolchain: toolchain(compiled), Digest: Digest(module), Size: len(module),
	}, nil
}

// toolchain reads the version of the compiler out of the custom section "producers", if compilers
// leave their names: fields of a name and values, each value with a version, every text after its length.
func toolchain(compiled wazero.CompiledModule) string {
	for _, section := range compiled.CustomSections() {
		if section.Name() != "producers" {
			continue
		}
		text := section.Data()
		fields := number(&text)
		for range min(fields, 16) {
			name := field(&text)
			for range min(number(&text), 16) {
				_, version := field(&text), field(&text)
				if name == "processed-by" {
					return version
				}
			}
		}
	}
	return ""
}

// number cuts a LEB128 number off; 0 if there is none.
func number(text *[]byte) uint64 {
	n, length := binary.Uvarint(*text)
	if length <= 0 {
		*text = nil
		return 0
	}
	*text = (*text)[length:]
	return n
}

// field cuts a text and its length off; empty if there is none.
func field(text *[]byte) string {
	length := number(text)
	if length > uint64(len(*text)) {
		*text = nil
		return ""
	}
	value := string((*text)[:length])
	*text = (*text)[length:]
	return value
}
