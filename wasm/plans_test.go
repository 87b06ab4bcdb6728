package wasm_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"example.com/livery/internal/test/race"
	"example.com/livery/renderer/plan"
	"example.com/livery/wasm"
	"example.com/livery/wasm/abi"
)

func TestRenderNeedsALoadedModule(t *testing.T) {
	t.Parallel()
	r := newRuntime(t, wasm.Config{})
	if _, err := r.Render(t.Context(), wasm.Digest(guest(t)), command("hello")); !errors.Is(err, wasm.ErrNotLoaded) {
		t.Errorf("Render = %v, want ErrNotLoaded", err)
	}
	if _, err := r.CompilePlan(t.Context(), wasm.Digest(guest(t)), wasm.Source{}); !errors.Is(err, wasm.ErrNotLoaded) {
		t.Errorf("CompilePlan = %v, want ErrNotLoaded", err)
	}
}

// A plan is given to an instance once, and found again by its name.
func TestPlansAreHeld(t *testing.T) {
	t.Parallel()
	r := newRuntime(t, wasm.Config{Instances: 1})
	digest := load(t, r, guest(t))
	c := compileNatively(t, synthetic(20, 3))
	req := wasm.Request{Plan: c.plan, Overlay: c.overlay}
	for range 10 {
		if _, err := r.Render(t.Context(), digest, req); err != nil {
			t.Fatal(err)
		}
	}
	req.Plan.Name = "" // the name is computed then
	if _, err := r.Render(t.Context(), digest, req); err != nil {
		t.Fatal(err)
	}
	if s := r.Stats(); s.PlanMisses != 1 || s.PlanHits != 10 || s.Plans != 1 {
		t.Errorf("%d renders found their plan and %d did not, %d are held, want 10, 1, 1", s.PlanHits, s.PlanMisses, s.Plans)
	}
}

// More plans than there are slots, and than the budget has room for: the longest unused go, and the
// files are right all the time.
func TestLongestUnusedPlanMakesRoom(t *testing.T) {
	t.Parallel()
	for _, budget := range []int{0, 4000} {
		r := newRuntime(t, wasm.Config{Instances: 1, PlanBytes: budget})
		digest := load(t, r, guest(t))
		var all []compiledInput
		for i := range 3 * abi.PlanSlots {
			theme := fmt.Appendf(nil, `{"a":{"$type":"dimension","$value":"%dpx"}}`, i)
			all = append(all, compileNatively(t, input{"", theme, []byte(`{"a":"1em"}`), ""}))
		}
		random := rand.New(rand.NewPCG(1, 2))
		for range 2000 {
			c := all[random.IntN(len(all))]
			got, err := r.Render(t.Context(), digest, wasm.Request{Plan: c.plan, File: abi.TokensCSS})
			if want := renderedAlone(t, c); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("Render = %q, %v, want %q", got, err, want)
			}
		}
		s := r.Stats()
		if s.Plans == 0 || s.Plans > 2*abi.PlanSlots || budget > 0 && s.PlanBytes > int64(2*budget) {
			t.Errorf("two instances hold %d plans of %d bytes, want at most %d, and %d bytes each", s.Plans, s.PlanBytes, 2*abi.PlanSlots, budget)
		}
		if s.PlanHits == 0 || s.PlanMisses < uint64(len(all)) {
			t.Errorf("%d hits and %d misses, want some hits and at least %d misses", s.PlanHits, s.PlanMisses, len(all))
		}
	}
}

// renderedAlone returns tokens.css of the Theme alone, read out of its plan natively.
func renderedAlone(t *testing.T, c compiledInput) []byte {
	bundle, err := plan.OpenBundle(c.plan.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Open(bundle.Part(uint8(abi.TokensCSS)))
	if err != nil {
		t.Fatal(err)
	}
	return p.File()
}

func TestRefusalsNameTheFault(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	r := newRuntime(t, wasm.Config{})
	digest := load(t, r, guest(t))
	c, other := compileNatively(t, synthetic(20, 3)), compileNatively(t, synthetic(30, 3))
	cut := func(b wasm.Blob, keep int) wasm.Blob { return wasm.Blob{Bytes: b.Bytes[:keep]} }
	for _, tt := range []struct {
		name string
		req  wasm.Request
		want abi.Status
	}{
		{"no plan", wasm.Request{}, abi.StatusBadPlan},
		{"a bundle of plans cut short", wasm.Request{Plan: cut(c.plan, len(c.plan.Bytes)-1)}, abi.StatusBadPlan},
		{"a plan that is none", wasm.Request{Plan: five("no plan")}, abi.StatusBadPlan},
		{"a bundle of overlays cut short", wasm.Request{Plan: c.plan, Overlay: cut(c.overlay, 20)}, abi.StatusBadOverlay},
		{"an overlay that is none", wasm.Request{Plan: c.plan, Overlay: five("no overlay")}, abi.StatusBadOverlay},
		{"an overlay of another plan", wasm.Request{Plan: c.plan, Overlay: other.overlay}, abi.StatusOtherPlan},
		{"a file that does not exist", wasm.Request{Plan: c.plan, File: abi.FileCount}, abi.StatusBadFile},
	} {
		_, err := r.Render(t.Context(), digest, tt.req)
		if refused := (*wasm.RefusedError)(nil); !errors.As(err, &refused) || refused.Status != tt.want {
			t.Errorf("Render of %s = %v, want %q", tt.name, err, tt.want)
		}
	}
	for _, req := range []wasm.Request{
		{Plan: blob(plan.AppendBundle(nil, make([][]byte, 5)))},
		{Plan: c.plan, Overlay: blob(plan.AppendBundle(nil, make([][]byte, 5)))},
		{Plan: c.plan, Overlay: blob(plan.AppendBundle(nil, [][]byte{make([]byte, abi.MaxInputBytes+1), {}, {}, {}, {}}))},
		{Plan: blob(plan.AppendBundle(nil, [][]byte{make([]byte, abi.MaxPlanBytes+1), {}, {}, {}, {}}))},
	} {
		if _, err := r.Render(t.Context(), digest, req); !errors.Is(err, wasm.ErrTooLarge) {
			t.Errorf("Render of what is too large = %v, want ErrTooLarge", err)
		}
	}
	if s := r.Stats(); s.FailedTrap+s.FailedBroken != 0 {
		t.Errorf("a refusal cost an instance: %+v", s)
	}
}

func TestRefusedSourcesNameTheFault(t *testing.T) {
	t.Parallel()
	r := newRuntime(t, wasm.Config{})
	digest := load(t, r, guest(t))
	for _, tt := range []struct {
		name   string
		source wasm.Source
		want   wasm.RefusedError
	}{
		{"no JSON", wasm.Source{Theme: []byte(`{"a":]`)}, wasm.RefusedError{Status: abi.StatusBadTheme, Position: 5}},
		{"no object", wasm.Source{Theme: []byte(`[]`)}, wasm.RefusedError{Status: abi.StatusBadTheme}},
		{"empty", wasm.Source{}, wasm.RefusedError{Status: abi.StatusBadTheme}},
		{"overrides", wasm.Source{Theme: []byte(`{}`), Overrides: []byte(`{"a":1,}`)}, wasm.RefusedError{Status: abi.StatusBadOverrides, Position: 7}},
	} {
		_, err := r.CompileOverlay(t.Context(), digest, tt.source)
		if refused := (*wasm.RefusedError)(nil); !errors.As(err, &refused) || *refused != tt.want {
			t.Errorf("CompileOverlay of %s = %v, want %v", tt.name, err, &tt.want)
		}
	}
	tooLarge := wasm.Source{Theme: make([]byte, abi.MaxInputBytes+1)}
	if _, err := r.CompilePlan(t.Context(), digest, tooLarge); !errors.Is(err, wasm.ErrTooLarge) {
		t.Errorf("CompilePlan of too much = %v, want ErrTooLarge", err)
	}
}

// Damage of any kind is refused or makes the bytes that it makes natively; it never traps and never
// shows what is not in the blobs.
func TestDamagedBlobsNeverTrap(t *testing.T) {
	t.Parallel()
	r := newRuntime(t, wasm.Config{Instances: 1, PlanBytes: 1 << 20})
	digest := load(t, r, guest(t))
	c := compileNatively(t, synthetic(20, 5))
	random := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		planPart, overlayPart := damage(random, partOf(t, c.plan)), damage(random, partOf(t, c.overlay))
		checkDamaged(t, r, digest, planPart, overlayPart)
	}
	noFailure(t, r)
}

// FuzzRender gives any bytes as plan and overlay to the module.
func FuzzRender(f *testing.F) {
	r := newRuntime(f, wasm.Config{Instances: 1, PlanBytes: 1 << 20})
	digest := load(f, r, guest(f))
	c := compileNatively(f, synthetic(4, 2))
	f.Add(partOf(f, c.plan), partOf(f, c.overlay))
	f.Add([]byte("LVYP\x01"), []byte("LVYO\x01"))
	f.Fuzz(func(t *testing.T, planPart, overlayPart []byte) {
		if len(planPart) == 0 || len(overlayPart) == 0 {
			return
		}
		checkDamaged(t, r, digest, planPart, overlayPart)
		noFailure(t, r)
	})
}

func noFailure(t *testing.T, r *wasm.Runtime) {
	t.Helper()
	if s := r.Stats(); s.FailedTrap+s.FailedBroken != 0 {
		t.Fatalf("the module failed: %+v", s)
	}
}

func partOf(t testing.TB, b wasm.Blob) []byte {
	bundle, err := plan.OpenBundle(b.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return bundle.Part(0)
}

// damage returns a copy with some bytes changed, cut off, added or repeated; or, now and then, whole.
func damage(random *rand.Rand, whole []byte) []byte {
	b := bytes.Clone(whole)
	for range random.IntN(4) {
		at := random.IntN(len(b))
		if random.IntN(2) == 0 {
			at = random.IntN(min(len(b), 64)) // the numbers
		}
		switch random.IntN(6) {
		case 0, 1, 2:
			b[at] = byte(random.UintN(256))
		case 3:
			b[at] ^= 1 << random.UintN(8)
		case 4:
			b = b[:max(at, 1)]
		case 5:
			b = append(b, b[at:]...)
		}
	}
	return b
}

// checkDamaged compares the module with package plan for one plan and one overlay.
func checkDamaged(t *testing.T, r *wasm.Runtime, digest string, planPart, overlayPart []byte) {
	t.Helper()
	req := wasm.Request{Plan: five(string(planPart)), Overlay: five(string(overlayPart))}
	want, wantErr := renderNatively(planPart, overlayPart)
	for _, whole := range []bool{true, false} {
		got, err := r.RenderOneWay(t.Context(), digest, req, whole)
		if (err == nil) != (wantErr == nil) || !bytes.Equal(got, want) {
			t.Fatalf("plan %q, overlay %q, whole %t: %q, %v, natively %q, %v", planPart, overlayPart, whole, got, err, want, wantErr)
		}
	}
}

func renderNatively(planPart, overlayPart []byte) ([]byte, error) {
	p, err := plan.Open(planPart)
	if err != nil {
		return nil, err
	}
	o, err := plan.OpenOverlay(p, overlayPart)
	if err != nil {
		return nil, err
	}
	return o.Append(nil), nil
}
