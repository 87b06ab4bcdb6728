package records

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/livery/edge/content"
	"example.com/livery/feedproto"
	"example.com/livery/internal/test/heaptest"
	"example.com/livery/internal/test/race"
	"example.com/livery/storage/record"
)

func hashOf(kind string, i int) record.Hash { return record.HashOf(fmt.Appendf(nil, "%s %d", kind, i)) }

// The budget is one of memory: what is counted for an entry is what it takes, with the table that it is
// in, and not much more.
func TestWhatIsCountedIsWhatIsHeld(t *testing.T) {
	race.Skip(t)
	for name, tt := range map[string]struct {
		count int
		fill  func(c *Store, i int)
	}{
		"Themes": {20000, func(c *Store, i int) {
			th := c.ThemeEntry(fmt.Sprintf("01hzzzzzzzzzzzzzzzzzzzzzzz/01hzzzzzzzzzzzzzzzzzzz%05d", i))
			th.state.Store(newThemeState(Freshness{At: time.Now()}, feedproto.Theme{
				EnvironmentID: "01hzzzzzzzzzzzzzzzzzzzzzzz", ThemeID: fmt.Sprintf("01hzzzzzzzzzzzzzzzzzzz%05d", i),
				LatestVersion: 3, Files: []string{"tokens.css", "tokens.json"}, CacheLifetime: 60,
			}))
		}},
		"pairs of one Theme": {400, func(c *Store, i int) { makePair(c, "01hzzzzzzzzzzzzzzzzzzzzzzz/01hzzzzzzzzzzzzzzzzzzz00000", i) }},
		"pairs": {20000, func(c *Store, i int) {
			makePair(c, fmt.Sprintf("01hzzzzzzzzzzzzzzzzzzzzzzz/01hzzzzzzzzzzzzzzzzzzz%05d", i/20), i)
		}},
		"pairs in modes": {4000, func(c *Store, i int) {
			theme := fmt.Sprintf("01hzzzzzzzzzzzzzzzzzzzzzzz/01hzzzzzzzzzzzzzzzzzzz%05d", i/20)
			makePairAt(c, theme, fmt.Sprintf("%s/01hzzzzzzzzzzzzzzzzzzz%05d/%d/%s", theme, i, i, strings.Repeat("a", 250)), i)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			heaptest.Agree(t, 0.95, 1.25, func() (counted, taken int64) {
				files := content.New(t.Context(), content.Config{Budget: 1 << 40, Slots: 1})
				c := New(Config{ThemeBytes: 1 << 40, PairBytes: 1 << 40, Content: referenced{files: files}})
				taken = heaptest.Taken(func() {
					for i := range tt.count {
						tt.fill(c, i)
					}
				})
				return int64(c.Bytes()), taken
			})
		})
	}
}

func makePair(c *Store, theme string, i int) {
	makePairAt(c, theme, fmt.Sprintf("%s/01hzzzzzzzzzzzzzzzzzzz%05d/%d", theme, i, i), i)
}

func makePairAt(c *Store, theme, key string, i int) {
	t, p := c.ThemeEntry(theme), c.PairEntry(key)
	c.HoldPair(p, Freshness{At: time.Now()}, feedproto.Pair{
		Version: uint32(i + 1), Plan: hashOf("plan", i), Overlay: hashOf("overlay", i), Module: hashOf("module", 1), Cursor: "1234567.abcdef0123456789",
	})
	t.remember(p)
}

// referenced counts what pairs lead to as an edge does.
type referenced struct {
	noContent
	files *content.Store
}

func (r referenced) Replace(old, next *content.Inputs) { r.files.References.Replace(old, next) }
