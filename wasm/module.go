package wasm

import (
	"crypto/sha256"
	"embed"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"

	"github.com/klauspost/compress/gzip"

	"example.com/livery/renderer"
	"example.com/livery/wasm/abi"
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
	packed, err := modules.Open("module/renderer.wasm.gz")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNoGuest
	}
	if err != nil {
		return nil, err
	}
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(unpacked)
}

// Digest returns the name of a module: its SHA-256 in 64 lower-case hexadecimal digits.
func Digest(module []byte) string {
	sum := sha256.Sum256(module)
	return hex.EncodeToString(sum[:])
}

// Info describes a renderer module.
type Info struct {
	ABIVersion    uint32 // the contract it was built for
	CoreVersion   string // the renderer's version
	PlanFormat    uint32 // of the plans that it reads and writes
	OverlayFormat uint32 // of the overlays that it reads and writes
	Toolchain     string // the compiler that built it, such as "go1.26.8"; empty: the module does not say
	Digest        string // SHA-256, hexadecimal
	Size          int    // bytes
}

// Describe describes the module that this binary was built with. The versions are those of this binary, which is made
// from the same sources: nothing of the module runs.
func Describe(module []byte) Info {
	return Info{
		ABIVersion: abi.Version, CoreVersion: renderer.Version, PlanFormat: abi.PlanFormat, OverlayFormat: abi.OverlayFormat,
		Toolchain: toolchain(module), Digest: Digest(module), Size: len(module),
	}
}

// toolchain reads the version of the compiler out of the custom section "producers": fields of a name and values, each
// value with a version, every text after its length.
func toolchain(module []byte) string {
	sections := module[min(len(module), len("\x00asm\x01\x00\x00\x00")):]
	for len(sections) > 0 {
		id := sections[0]
		sections = sections[1:]
		text := field(&sections)
		if id != 0 || string(field(&text)) != "producers" {
			continue
		}
		for range min(number(&text), 16) {
			name := field(&text)
			for range min(number(&text), 16) {
				_, version := field(&text), field(&text)
				if string(name) == "processed-by" {
					return string(version)
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
func field(text *[]byte) []byte {
	length := number(text)
	if length > uint64(len(*text)) {
		*text = nil
		return nil
	}
	value := (*text)[:length]
	*text = (*text)[length:]
	return value
}
