package origin_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"example.com/livery/feedproto"
	"example.com/livery/origin/operator"
	"example.com/livery/storage/record"
)

// refreshed asks for a Theme with pairs of it, as an edge does that has heard so much and has these blobs.
func (e edge) refreshed(theme, since string, pairs []string, has ...record.Hash) feedproto.Refresh {
	e.t.Helper()
	query := url.Values{"since": {since}, "pair": pairs}
	for _, name := range has {
		query.Add("has", string(name))
	}
	status, body := e.ask("/refresh/" + address(theme) + "?" + query.Encode())
	fed, err := feedproto.ParseRefresh(body)
	if status != 200 || err != nil {
		e.t.Fatalf("refresh = %d %q, %v", status, body, err)
	}
	return fed
}

// names lists the blobs of an answer, which must be what they are called.
func (e edge) names(blobs []feedproto.RefreshBlob) (names []record.Hash) {
	e.t.Helper()
	for _, b := range blobs {
		if record.HashOf(b.Bytes) != b.Name {
			e.t.Errorf("blob %s has other content", b.Name)
		}
		names = append(names, b.Name)
	}
	return names
}

// A refresh says in one answer what the questions for each part say, with what the edge does not have.
// What is not there is left out.
func TestARefreshSaysAllAtOnce(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	theme := e.theme("brand")
	variant := e.variant(theme, "dark")
	id := variant[strings.LastIndex(variant, "/")+1:]
	e.patch(theme, red)
	e.publish(theme)
	e.patch(variant, `[{"operation":"set","path":"red","value":"#000000"}]`)
	e.publish(variant)
	if _, err := operator.SetServing(context.Background(), e.store, address(theme)[len(e.sandbox)+1:], operator.ServingUpdate{Mode: ptr("signed")}, e.clock.Now()); err != nil {
		t.Fatal(err)
	}
	own, published := e.pair(theme, "-", "latest"), e.pair(theme, id, "1")
	pairs := []string{"-/latest", id + "/1", "-/9", "-/01", "var_0/latest", "", "-", "/", "-/1/2"}
	got := e.refreshed(theme, "", pairs)
	if want := fed[feedproto.Theme](e, "/themes/"+address(theme)); !reflect.DeepEqual(got.Theme, want) {
		t.Errorf("Theme = %+v, want %+v", got.Theme, want)
	}
	want := []feedproto.RefreshPair{{Address: "-/latest", Pair: own}, {Address: id + "/1", Pair: published}}
	if !reflect.DeepEqual(got.Pairs, want) {
		t.Errorf("pairs = %+v, want %+v", got.Pairs, want)
	}
	if names := e.names(got.Blobs); fmt.Sprint(names) != fmt.Sprint([]record.Hash{own.Plan, published.Overlay}) {
		t.Errorf("blobs = %s, want the plan and the overlay", names)
	}
	if names := e.names(e.refreshed(theme, "", pairs, own.Plan).Blobs); fmt.Sprint(names) != fmt.Sprint([]record.Hash{published.Overlay}) {
		t.Errorf("blobs = %s to an edge that has the plan, want the overlay", names)
	}
	if got := e.refreshed(theme, "", nil); len(got.Pairs) != 0 || len(got.Blobs) != 0 || got.Theme.LatestVersion != 1 {
		t.Errorf("without pairs = %+v, want the Theme alone", got)
	}
}

// Edges that heard the same get the same for a moment; who heard more gets what is newer.
func TestARefreshIsAsNewAsWhatTheEdgeHeard(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	theme := e.theme("brand")
	var before string
	for version := uint32(1); version <= 5; version++ {
		e.patch(theme, fmt.Sprintf(`[{"operation":"add","path":"/n%d","value":{"$type":"number","$value":%d}}]`, version, version))
		e.publish(theme)
		since := fed[feedproto.Changes](e, "/changes").Cursor
		for what, got := range map[string]feedproto.Refresh{
			"who heard":             e.refreshed(theme, since, []string{"-/latest"}),
			"another who heard":     e.refreshed(theme, since, []string{"-/latest"}),
			"who does not say":      e.refreshed(theme, "", []string{"-/latest"}),
			"another who says none": e.refreshed(theme, "", []string{"-/latest"}),
		} {
			if got.Theme.LatestVersion != version || len(got.Pairs) != 1 || got.Pairs[0].Pair.Version != version {
				t.Errorf("%s of version %d gets %+v", what, version, got)
			}
		}
		if before == since {
			t.Errorf("two publishes have cursor %s", since)
		}
		before = since
	}
}

// What a question for a refresh may be, and who may ask it.
func TestRefreshesAreRefused(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	theme := e.theme("brand")
	at := "/refresh/" + address(theme)
	many := func(name string, n int) string { return strings.Repeat("&"+name+"=x", n) }
	var has strings.Builder
	for i := range 129 {
		fmt.Fprintf(&has, "&has=%d", i)
	}
	for _, tt := range []struct {
		name, path, authorization string
		status                    int
		says                      string
	}{
		{"no token", at, "", http.StatusUnauthorized, ""},
		{"another token", at, "Bearer x", http.StatusUnauthorized, ""},
		{"no such Theme", "/refresh/" + e.sandbox + "/thm_0", "Bearer " + testFeedToken, http.StatusNotFound, `{"missing":"theme"}`},
		{"a Theme of another Environment", "/refresh/" + e.staging + address(theme)[len(e.sandbox):], "Bearer " + testFeedToken, http.StatusNotFound, `{"missing":"theme"}`},
		{"a key of the store's", "/refresh/%00/x", "Bearer " + testFeedToken, http.StatusNotFound, `{"missing":"theme"}`},
		{"no cursor", at + "?since=x", "Bearer " + testFeedToken, http.StatusBadRequest, "payload"},
		{"too many pairs", at + "?since=" + many("pair", 65), "Bearer " + testFeedToken, http.StatusBadRequest, "payload"},
		{"too many blobs", at + "?since=" + has.String(), "Bearer " + testFeedToken, http.StatusBadRequest, "payload"},
		{"as many pairs as may be", at + "?since=" + many("pair", 64), "Bearer " + testFeedToken, http.StatusOK, ""},
	} {
		if status, body := e.askAs(tt.authorization, tt.path); status != tt.status || !bytes.Contains(body, []byte(tt.says)) {
			t.Errorf("%s = %d %s, want %d %s", tt.name, status, body, tt.status, tt.says)
		}
	}
}
