package stories

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/livery/client"
	"example.com/livery/internal/test/race"
)

// TestLargePush: a push beyond 10,000 operations is sent as several requests on top of each other,
// each a line of progress, and nothing of it is lost.
func TestLargePush(t *testing.T) {
	race.Skip(t)
	d := startDev(t)
	write := func(name string, add int) string {
		var document strings.Builder
		document.WriteString(`{"g":{"$type":"number"`)
		for i := range 10_500 {
			fmt.Fprintf(&document, `,"t%d":{"$value":%d,"$description":"%s"}`, i, i+add, strings.Repeat("x", 100))
		}
		document.WriteString("}}")
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(document.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if said := d.livery(t, "push", write("a.json", 0), "--env", "sandbox", "--theme", "large", "--create", "--publish"); strings.Contains(said, "pushing") {
		t.Errorf("one operation was sent in parts:\n%s", said)
	}
	said := d.livery(t, "push", write("b.json", 1), "--env", "sandbox", "--theme", "large")
	for _, want := range []string{"pushing: 1 of 2\n", "pushing: 2 of 2\n", "Theme large: 10500 operations sent, the draft has 10500 tokens.\n"} {
		if !strings.Contains(said, want) {
			t.Errorf("push says %q, want %q in it", said, want)
		}
	}
	page, err := d.client.Themes(t.Context(), d.sandbox, client.ListOptions{Slug: "large"})
	if err != nil || len(page.Items) != 1 {
		t.Fatal(page, err)
	}
	set, err := d.client.Scope(d.sandbox, page.Items[0].ID).Tokens(t.Context(), "", client.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, token := range set.Tokens {
		if want := fmt.Sprint(i + 1); string(token.Value) != want || token.Path != fmt.Sprint("g.t", i) {
			t.Fatalf("token %d is %s = %s, want g.t%d = %s", i, token.Path, token.Value, i, want)
		}
	}
}
