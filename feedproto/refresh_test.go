package feedproto_test

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"example.com/livery/feedproto"
	"example.com/livery/storage/record"
)

var refreshed = feedproto.Refresh{
	Theme: feedproto.Theme{EnvironmentID: "e", ThemeID: "t", LatestVersion: 2, Files: []string{"tokens.css"}, Cursor: "7.a"},
	Pairs: []feedproto.RefreshPair{{Address: "-/latest", Pair: feedproto.Pair{Version: 2, Plan: record.HashOf([]byte("plan")), Cursor: "7.a"}}},
	Blobs: []feedproto.RefreshBlob{
		{Name: record.HashOf([]byte("plan")), Length: 4, Bytes: []byte("plan")},
		{Name: record.HashOf(nil), Bytes: []byte{}},
		{Name: record.HashOf([]byte("overlay")), Length: 7, Bytes: []byte("overlay")},
	},
}

// What is sent after a change is read as it was written.
func TestRefreshesAreReadAsWritten(t *testing.T) {
	sent, err := feedproto.AppendRefresh(nil, refreshed)
	if err != nil {
		t.Fatal(err)
	}
	got, err := feedproto.ParseRefresh(sent)
	if err != nil {
		t.Fatal(err)
	}
	got.Theme.Serving = refreshed.Theme.Serving // its empty lists are read as empty, not as none
	if !reflect.DeepEqual(got, refreshed) {
		t.Errorf("read %+v, want %+v", got, refreshed)
	}
}

// What is cut off or lies about its lengths is refused whole.
func TestBrokenRefreshesAreRefused(t *testing.T) {
	sent, err := feedproto.AppendRefresh(nil, refreshed)
	if err != nil {
		t.Fatal(err)
	}
	for n := range sent {
		if got, err := feedproto.ParseRefresh(sent[:n]); err == nil {
			t.Fatalf("ParseRefresh of %d of %d bytes = %+v", n, len(sent), got)
		}
	}
	for name, broken := range map[string][]byte{
		"more than it says":      append(bytes.Clone(sent), 'x'),
		"a blob of less than 0":  framed(`{"blobs":[{"name":"","length":-1}]}`),
		"a blob past the end":    framed(`{"blobs":[{"name":"","length":1}]}`),
		"a record that is none":  {0, 0, 0, 2, '[', ']'},
		"a record past the end":  {0xff, 0xff, 0xff, 0xff, '{', '}'},
		"no record and no blobs": {0, 0, 0, 0},
	} {
		if got, err := feedproto.ParseRefresh(broken); err == nil || !reflect.DeepEqual(got, feedproto.Refresh{}) {
			t.Errorf("%s: ParseRefresh = %+v, %v, want an error", name, got, err)
		}
	}
}

// framed is a record without blobs behind it.
func framed(text string) []byte { return append([]byte{0, 0, 0, byte(len(text))}, text...) }

func FuzzRefresh(f *testing.F) {
	sent, err := feedproto.AppendRefresh(nil, refreshed)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(sent)
	f.Add([]byte("\x00\x00\x00\x02{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := feedproto.ParseRefresh(data)
		if err != nil {
			return
		}
		total := 0
		for _, b := range got.Blobs {
			if len(b.Bytes) != b.Length {
				t.Errorf("a blob of %d bytes says %d", len(b.Bytes), b.Length)
			}
			total += b.Length
		}
		if total > len(data) {
			t.Errorf("blobs of %d bytes out of %d", total, len(data))
		}
	})
}

// Of the blobs that pairs are made from those come with them that the edge lacks, each once, that can be read and
// that fit together; a small one finds the room that a large one did not.
func TestARefreshBringsTheBlobsThatFit(t *testing.T) {
	blobs := map[record.Hash][]byte{}
	pairs := []feedproto.RefreshPair{}
	add := func(plan, overlay int) {
		var names [2]record.Hash
		for i, size := range []int{plan, overlay} {
			if size > 0 {
				content := bytes.Repeat([]byte{byte(size)}, size)
				names[i] = record.HashOf(content)
				blobs[names[i]] = content
			}
		}
		pairs = append(pairs, feedproto.RefreshPair{Pair: feedproto.Pair{Plan: names[0], Overlay: names[1]}})
	}
	add(10, 0)
	add(10, 20)
	add(feedproto.MaxRefreshBlobs-9, 30)  // beside 10 the first is one byte too long
	add(feedproto.MaxRefreshBlobs-40, 50) // beside 10 and 30 the first just fits
	add(60, 0)
	held := record.HashOf(bytes.Repeat([]byte{20}, 20))
	lost := record.HashOf(bytes.Repeat([]byte{60}, 60))
	delete(blobs, lost)
	fed := feedproto.Refresh{Pairs: pairs}
	fed.AddBlobs(map[record.Hash]bool{held: true}, func(name record.Hash) ([]byte, error) {
		if content, ok := blobs[name]; ok {
			return content, nil
		}
		return nil, errors.New("lost")
	})
	var sizes []int
	for _, b := range fed.Blobs {
		if record.HashOf(b.Bytes) != b.Name {
			t.Errorf("blob %s has other content", b.Name)
		}
		sizes = append(sizes, len(b.Bytes))
	}
	if want := []int{10, 30, feedproto.MaxRefreshBlobs - 40}; !reflect.DeepEqual(sizes, want) {
		t.Errorf("blobs of %d bytes, want %d", sizes, want)
	}
}
