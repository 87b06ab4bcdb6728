package wasm

import (
	"context"
	"errors"
	"fmt"

	"example.com/livery/wasm/abi"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// pageBytes is the size of a page of linear memory.
const pageBytes = 64 << 10

// memoryPages is the most linear memory that an instance may have: 512 MiB. Documents of 10,000
// tokens need 25 to 60 MiB; the worst of the largest size that the API takes, 8 MiB of nothing but
// tiny tokens, needs 450.
const memoryPages = 512 << 20 / pageBytes

// instance is one running copy of a module. It serves one call at a time, and none after a failed
// one: what its memory holds then is anybody's guess, although it still answers.
type instance struct {
	module api.Module
	input  api.Function // looked up once: a look-up costs a hundred empty calls
	render api.Function
	info   abi.Info
	core   string    // the core version
	stack  [4]uint64 // arguments and results of a call
	stderr *tail
}

// newInstance starts a module without file system, clock, environment or arguments, and checks that
// it keeps the contract.
func newInstance(ctx context.Context, engine wazero.Runtime, compiled wazero.CompiledModule) (*instance, error) {
	stderr := &tail{}
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions(abi.ExportInitialize).WithStderr(stderr).WithStdout(stderr)
	module, err := engine.InstantiateModule(ctx, compiled, config)
	if err != nil {
		return nil, fmt.Errorf("start the module: %w%s", err, stderr)
	}
	in := &instance{module: module, stderr: stderr}
	if err := in.greet(ctx); err != nil {
		_ = module.Close(ctx)
		return nil, err
	}
	return in, nil
}

// greet reads the info block and looks up the exports.
func (in *instance) greet(ctx context.Context) error {
	info := in.module.ExportedFunction(abi.ExportInfo)
	in.input = in.module.ExportedFunction(abi.ExportInput)
	in.render = in.module.ExportedFunction(abi.ExportRender)
	if !fits(info, 0) || !fits(in.input, 1) || !fits(in.render, 4) {
		return errors.New("the module does not export what the contract names")
	}
	pointer, err := in.call(ctx, info)
	if err != nil {
		return err
	}
	memory := in.module.Memory()
	block, _ := memory.Read(pointer, abi.InfoSize)
	read, ok := abi.ReadInfo(block)
	if !ok {
		return errors.New("the module's info block is not readable")
	}
	if read.Version != abi.Version {
		return fmt.Errorf("the module is built for version %d of the contract, this host for version %d", read.Version, abi.Version)
	}
	core, ok := memory.Read(read.Core, read.CoreLength)
	if !ok {
		return errors.New("the module's core version is not readable")
	}
	in.info, in.core = read, string(core)
	return nil
}

// fits reports whether f takes n 32-bit integers and returns one.
func fits(f api.Function, n int) bool {
	if f == nil {
		return false
	}
	params, results := f.Definition().ParamTypes(), f.Definition().ResultTypes()
	if len(params) != n || len(results) != 1 || results[0] != api.ValueTypeI32 {
		return false
	}
	for _, p := range params {
		if p != api.ValueTypeI32 {
			return false
		}
	}
	return true
}

// call runs f and returns its result. After an error the instance must not be used again.
func (in *instance) call(ctx context.Context, f api.Function, args ...uint32) (uint32, error) {
	for i, arg := range args {
		in.stack[i] = uint64(arg)
	}
	if err := f.CallWithStack(ctx, in.stack[:]); err != nil {
		return 0, fmt.Errorf("%w%s", err, in.stderr)
	}
	return uint32(in.stack[0]), nil
}

// renderFile writes the request, renders, and returns a copy of the answer. A *RefusedError leaves
// the instance sound; after any other error it must not be used again.
func (in *instance) renderFile(ctx context.Context, req Request) ([]byte, error) {
	size := len(req.Theme) + len(req.Overrides) + len(req.Prefix)
	pointer, err := in.call(ctx, in.input, uint32(size))
	if err != nil {
		return nil, err
	}
	view, ok := in.module.Memory().Read(pointer, uint32(size))
	if !ok || pointer == 0 {
		return nil, errors.New("the module gave no input buffer")
	}
	n := copy(view, req.Theme)
	n += copy(view[n:], req.Overrides)
	copy(view[n:], req.Prefix)
	_, err = in.call(ctx, in.render, uint32(req.File), uint32(len(req.Theme)), uint32(len(req.Overrides)), uint32(len(req.Prefix)))
	if err != nil {
		return nil, err
	}
	return in.answer()
}

// answer copies what the result block names: the next call overwrites it.
func (in *instance) answer() ([]byte, error) {
	memory := in.module.Memory()
	block, _ := memory.Read(in.info.Result, abi.ResultSize)
	result, ok := abi.ReadResult(block)
	if !ok {
		return nil, errors.New("the module's result block is not readable")
	}
	view, ok := memory.Read(result.Pointer, result.Length)
	if !ok {
		return nil, errors.New("the module's answer lies outside its memory")
	}
	if result.Status != abi.StatusOK {
		return nil, &RefusedError{Status: result.Status, Position: int(result.Position)}
	}
	return append(make([]byte, 0, len(view)), view...), nil
}

// memoryBytes returns the size of the linear memory, which never shrinks.
func (in *instance) memoryBytes() int { return int(in.module.Memory().Size()) }

// tail keeps the first bytes that a module writes to its standard error, where Go reports a panic.
type tail struct{ text []byte }

// maxTail bounds what a failing module can make the host keep, in bytes.
const maxTail = 2 << 10

// Write keeps what still fits and takes everything.
func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p[:min(len(p), maxTail-len(t.text))]...)
	return len(p), nil
}

// String spells what was written as the end of an error message.
func (t *tail) String() string {
	if len(t.text) == 0 {
		return ""
	}
	return fmt.Sprintf(" (the module wrote %q)", t.text)
}
