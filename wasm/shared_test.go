package wasm_test

import (
	"bytes"
	"testing"

	"example.com/livery/wasm"
	"example.com/livery/wasm/abi"
)

// What a file is said to share with its plan it shares, and that is most of it; the file is the one of Render.
func TestSharedSpansHold(t *testing.T) {
	t.Parallel()
	r := newRuntime(t, wasm.Config{Instances: 1})
	digest := load(t, r, guest(t))
	for _, size := range [][2]int{{200, 1}, {200, 10}, {500, 250}} {
		in := compileNatively(t, synthetic(size[0], size[1]))
		for f := range abi.File(abi.FileCount) {
			for _, overlay := range []wasm.Blob{in.overlay, {}} {
				req := wasm.Request{Plan: in.plan, Overlay: overlay, File: f}
				want, err := r.Render(t.Context(), digest, req)
				room := make([]byte, len(want)-int(f)%2) // every other file fits there
				if err != nil {
					t.Fatal(err)
				}
				file, spans, err := r.RenderShared(t.Context(), digest, req, room)
				if err != nil || !bytes.Equal(file, want) {
					t.Fatalf("%v, %s: %d bytes (%v), Render makes %d", size, f.Name(), len(file), err, len(want))
				}
				text, shared := req.Text(), 0
				for _, s := range spans {
					if !bytes.Equal(file[s.At:][:s.Length], text[s.From:][:s.Length]) {
						t.Errorf("%v, %s: %+v does not hold", size, f.Name(), s)
					}
					shared += s.Length
				}
				if shared < len(file)/2 {
					t.Errorf("%v, %s: %d of %d bytes are shared", size, f.Name(), shared, len(file))
				}
			}
		}
	}
}
