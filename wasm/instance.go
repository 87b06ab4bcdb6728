package wasm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/livery/wasm/abi"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// pageBytes is the size of a page of linear memory.
const pageBytes = 64 << 10

// The most linear memory that an instance may have. Rendering needs the plans, one input and one
// file; compiling the worst document of the largest size that the API takes, 8 MiB of nothing but
// tiny tokens, needs most of its limit.
const (
	renderMemory  = 512 << 20
	compileMemory = 1 << 30
)

// instance is one running copy of a module. It serves one call at a time, and none after a failed
// one: what its memory holds then is anybody's guess, although it still answers.
type instance struct {
	module    api.Module
	exports   // looked up once: a look-up costs a hundred empty calls
	info      abi.Info
	core      string    // the core version
	stack     [5]uint64 // arguments and results of a call
	stderr    *tail
	plans     plans
	reserved  uint32    // bytes at inputAt
	inputAt   uint32    // the input buffer keeps its place until the next call of input
	due       time.Time // when the call at work is overdue
	abandoned bool      // its call took too long, and its place was given away; guarded by pool.mu
}

// exports are the functions of a module.
type exports struct {
	input, planAlloc, planOpen, planDrop, render, renderIOV, compile api.Function
}

// newInstance starts a module without file system, clock, environment or arguments, and checks that
// it keeps the contract.
func newInstance(ctx context.Context, engine wazero.Runtime, compiled wazero.CompiledModule) (*instance, error) {
	stderr := &tail{}
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions(abi.ExportInitialize).WithStderr(stderr).WithStdout(stderr)
	module, err := engine.InstantiateModule(ctx, compiled, config)
	if err != nil {
		return nil, fmt.Errorf("%w: start: %w%s", ErrModule, err, stderr)
	}
	if module.IsClosed() { // it exited, which starts no instance, and its memory is gone
		return nil, fmt.Errorf("%w: start: it exited%s", ErrModule, stderr)
	}
	in := &instance{module: module, stderr: stderr}
	if err := in.bind(ctx); err != nil {
		_ = module.Close(ctx)
		return nil, fmt.Errorf("%w: %w", ErrModule, err)
	}
	return in, nil
}

// bind looks up the exports and reads the info block.
func (in *instance) bind(ctx context.Context) error {
	var info api.Function
	for _, export := range []struct {
		name     string
		params   int
		function *api.Function
	}{
		{abi.ExportInfo, 0, &info},
		{abi.ExportInput, 1, &in.input},
		{abi.ExportPlanAlloc, 2, &in.planAlloc},
		{abi.ExportPlanOpen, 1, &in.planOpen},
		{abi.ExportPlanDrop, 1, &in.planDrop},
		{abi.ExportRender, 2, &in.render},
		{abi.ExportRenderIOV, 2, &in.renderIOV},
		{abi.ExportCompile, 5, &in.compile},
	} {
		*export.function = in.module.ExportedFunction(export.name)
		if !fits(*export.function, export.params) {
			return fmt.Errorf("it exports no function %q with %d 32-bit integers and one as the result", export.name, export.params)
		}
	}
	if in.module.Memory() == nil {
		return errors.New("it has no memory")
	}
	pointer, err := in.call(ctx, info)
	if err != nil {
		return err
	}
	return in.readInfo(pointer)
}

func (in *instance) readInfo(pointer uint32) error {
	memory := in.module.Memory()
	block, _ := memory.Read(pointer, abi.InfoSize)
	read, ok := abi.ReadInfo(block)
	switch {
	case !ok:
		return errors.New("its info block is not readable")
	case read.Version != abi.Version:
		return fmt.Errorf("it is built for version %d of the contract, this host for version %d", read.Version, abi.Version)
	case read.FilesServed != abi.FileCount:
		return fmt.Errorf("it knows %d files, the contract %d", read.FilesServed, abi.FileCount)
	case read.PlanSlots == 0:
		return errors.New("it has no slot for a plan")
	}
	core, ok := memory.Read(read.Core, read.CoreLength)
	if !ok || len(core) > maxCoreBytes {
		return errors.New("its core version is not readable")
	}
	in.info, in.core = read, string(core)
	in.plans.slots = min(int(read.PlanSlots), abi.PlanSlots)
	return nil
}

// maxCoreBytes bounds the core version, which is a version and no text.
const maxCoreBytes = 256

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
		return 0, &trapError{fmt.Errorf("%w%s", err, in.stderr)}
	}
	if in.module.IsClosed() { // its memory is gone, and reading it would end this process
		return 0, &trapError{fmt.Errorf("the module exited%s", in.stderr)}
	}
	return uint32(in.stack[0]), nil
}

// trapError says that a call did not return: the module trapped, panicked, exited or ran out of
// memory.
type trapError struct{ reason error }

func (e *trapError) Error() string { return e.reason.Error() }
func (e *trapError) Unwrap() error { return e.reason }

// write writes texts back to back into the input buffer.
func (in *instance) write(ctx context.Context, texts ...[]byte) error {
	size := 0
	for _, text := range texts {
		size += len(text)
	}
	if uint32(size) > in.reserved || in.reserved == 0 {
		reserve := min(max(uint32(size)+uint32(size)/4, 4<<10), max(in.info.MaxInput, uint32(size)))
		pointer, err := in.call(ctx, in.input, reserve)
		if err != nil {
			return err
		}
		if pointer == 0 {
			return fmt.Errorf("the module gave no input buffer of %d bytes", reserve)
		}
		in.inputAt, in.reserved = pointer, reserve
	}
	view, ok := in.module.Memory().Read(in.inputAt, uint32(size))
	if !ok {
		return errors.New("the module's input buffer lies outside its memory")
	}
	for _, text := range texts {
		view = view[copy(view, text):]
	}
	return nil
}

// result reads the result block. A status that the contract does not know breaks it.
func (in *instance) result(status uint32) (abi.Result, error) {
	block, _ := in.module.Memory().Read(in.info.Result, abi.ResultSize)
	result, ok := abi.ReadResult(block)
	switch {
	case !ok:
		return abi.Result{}, errors.New("the module's result block is not readable")
	case uint32(result.Status) != status || result.Status > abi.StatusBadKind:
		return abi.Result{}, fmt.Errorf("the module answered with status %d and wrote status %d", status, result.Status)
	case result.Status != abi.StatusOK:
		return abi.Result{}, &RefusedError{Status: result.Status, Position: int(result.Position)}
	}
	return result, nil
}

// answer copies what the result block names: the next call overwrites it.
func (in *instance) answer(status uint32) ([]byte, error) {
	result, err := in.result(status)
	if err != nil {
		return nil, err
	}
	view, ok := in.module.Memory().Read(result.Pointer, result.Length)
	if !ok {
		return nil, errors.New("the module's answer lies outside its memory")
	}
	return bytes.Clone(view), nil
}

// memoryBytes returns the size of the linear memory, which never shrinks.
func (in *instance) memoryBytes() int { return int(in.module.Memory().Size()) }

// tail keeps the first bytes that a module writes to its standard error, if Go reports a panic.
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
