package record_test

import (
	"bytes"
	"reflect"
	"testing"

	"example.com/livery/storage/record"
)

var refreshed = record.RefreshFed{
	Theme: record.ThemeFed{EnvironmentID: "e", ThemeID: "t", LatestVersion: 2, Files: []string{"tokens.css"}, Cursor: "7.a"},
	Pairs: []record.RefreshedPair{{Address: "-/latest", Pair: record.PairFed{Version: 2, Plan: record.HashOf([]byte("plan")), Cursor: "7.a"}}},
	Blobs: []record.RefreshedBlob{
		{Name: record.HashOf([]byte("plan")), Length: 4, Bytes: []byte("plan")},
		{Name: record.HashOf(nil), Bytes: []byte{}},
		{Name: record.HashOf([]byte("overlay")), Length: 7, Bytes: []byte("overlay")},
	},
}

// What is sent after a change is read as it was written.
func TestRefreshesAreReadAsWritten(t *testing.T) {
	sent, err := record.AppendRefresh(nil, refreshed)
	if err != nil {
		t.Fatal(err)
	}
	got, err := record.ParseRefresh(sent)
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
	sent, err := record.AppendRefresh(nil, refreshed)
	if err != nil {
		t.Fatal(err)
	}
	for n := range sent {
		if got, err := record.ParseRefresh(sent[:n]); err == nil {
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
		if got, err := record.ParseRefresh(broken); err == nil || !reflect.DeepEqual(got, record.RefreshFed{}) {
			t.Errorf("%s: ParseRefresh = %+v, %v, want an error", name, got, err)
		}
	}
}

// framed is a record without blobs behind it.
func framed(text string) []byte { return append([]byte{0, 0, 0, byte(len(text))}, text...) }

func FuzzRefresh(f *testing.F) {
	sent, err := record.AppendRefresh(nil, refreshed)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(sent)
	f.Add([]byte("\x00\x00\x00\x02{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := record.ParseRefresh(data)
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
