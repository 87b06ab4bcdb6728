package wasm_test
import ("testing";"time";"example.com/livery/wasm";"example.com/livery/wasm/abi")
func TestZZ(t *testing.T){
	r := newRuntime(t, wasm.Config{Instances: 1})
	digest := load(t, r, guest(t))
	theme := read(t, "../../shared/corpus/livery-synthetic-large-10000.tokens.json")
	for i := range 12 {
		s := time.Now()
		r.Render(t.Context(), digest, wasm.Request{Theme: theme, Prefix: []string{"a","b"}[i%2], File: abi.File(i%5)})
		t.Log(time.Since(s))
	}
}
