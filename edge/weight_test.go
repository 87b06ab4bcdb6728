package edge

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"example.com/livery/edge/coding"

	"example.com/livery/feedproto"
	"example.com/livery/heaptest"
	"example.com/livery/storage/record"
	"example.com/livery/wasm/abi"
)

func hashOf(kind string, i int) record.Hash { return record.HashOf(fmt.Appendf(nil, "%s %d", kind, i)) }

func contentOf(i int) contentID {
	return sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(i)))
}

// The budget is one of memory: what is counted for an entry is what it takes, with the table that it is
// in, and not much more.
func TestWhatIsCountedIsWhatIsHeld(t *testing.T) {
	for name, tt := range map[string]struct {
		count int
		fill  func(c *cache, i int)
	}{
		"Themes": {20000, func(c *cache, i int) {
			th := c.makeTheme(fmt.Sprintf("01hzzzzzzzzzzzzzzzzzzzzzzz/01hzzzzzzzzzzzzzzzzzzz%05d", i))
			th.state.Store(newThemeState(learned{at: time.Now()}, feedproto.Theme{
				EnvironmentID: "01hzzzzzzzzzzzzzzzzzzzzzzz", ThemeID: fmt.Sprintf("01hzzzzzzzzzzzzzzzzzzz%05d", i),
				LatestVersion: 3, Files: []string{"tokens.css", "tokens.json"}, CacheLifetime: 60,
			}))
		}},
		"pairs of one Theme": {400, func(c *cache, i int) { makePair(c, "01hzzzzzzzzzzzzzzzzzzzzzzz/01hzzzzzzzzzzzzzzzzzzz00000", i) }},
		"pairs": {20000, func(c *cache, i int) {
			makePair(c, fmt.Sprintf("01hzzzzzzzzzzzzzzzzzzzzzzz/01hzzzzzzzzzzzzzzzzzzz%05d", i/20), i)
		}},
		"small inputs":  {20000, func(c *cache, i int) { c.inputs.Set(hashOf("input", i), make([]byte, 700)) }},
		"larger inputs": {200, func(c *cache, i int) { c.inputs.Set(hashOf("input", i), make([]byte, 130<<10)) }},
		"small files":   {20000, func(c *cache, i int) { fillFile(c, i, 300) }},
		"usual files":   {1000, func(c *cache, i int) { fillFile(c, i, 18500) }},
		"large files":   {200, func(c *cache, i int) { fillFile(c, i, 70<<10) }},
		"failed files": {20000, func(c *cache, i int) {
			c.files.Set(fileKey{contentOf(i), 0}, &file{failed: errBusy, failedAt: time.Now()})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			heaptest.Agree(t, 0.95, 1.25, func() (counted, taken int64) {
				c, err := newCache(1 << 40)
				if err != nil {
					t.Fatal(err)
				}
				defer c.close()
				taken = heaptest.Taken(func() {
					for i := range tt.count {
						tt.fill(c, i)
					}
				})
				return int64(c.bytes()), taken
			})
		})
	}
}

func makePair(c *cache, theme string, i int) {
	t := c.makeTheme(theme)
	p := c.makePair(fmt.Sprintf("%s/01hzzzzzzzzzzzzzzzzzzz%05d/%d", theme, i, i))
	p.state.Store(newPairState(learned{at: time.Now()}, feedproto.Pair{
		Version: uint32(i + 1), Plan: hashOf("plan", i), Overlay: hashOf("overlay", i), Module: hashOf("module", 1), Cursor: "1234567.abcdef0123456789",
	}))
	t.remember(p)
}

func fillFile(c *cache, i, size int) {
	key := fileKey{contentOf(i), abi.TokensCSS}
	for enc := range coding.Encoding(coding.Count) {
		length := size
		if enc != coding.Identity {
			length = size / 4
		}
		content := make([]byte, length)
		binary.BigEndian.PutUint64(content, uint64(i)<<8|uint64(enc))
		c.putBody(key, newBody(content, enc, enc, true).withHead(abi.TokensCSS))
	}
}

// What an edge holds of a pair is all that it was told, the cursor apart.
func TestPairKeepsItsRecord(t *testing.T) {
	for name, fed := range map[string]feedproto.Pair{
		"the Theme's own": {Version: 7, Plan: hashOf("plan", 1), Module: hashOf("module", 1)},
		"a Variant's":     {Version: 1, Plan: hashOf("plan", 1), Overlay: hashOf("overlay", 1), Module: hashOf("module", 2), Sealed: true},
	} {
		told := fed
		told.Cursor = "12.abc"
		if got := newPairState(learned{}, told).fed.record(); got != fed {
			t.Errorf("%s: %+v is held, want %+v", name, got, fed)
		}
	}
}
