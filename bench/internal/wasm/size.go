package wasm

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"

	"example.com/livery/bench/internal/figures"
)

// sizes weighs the module as it is shipped, and in gzip.
func (b *bench) sizes(context.Context) error {
	var zipped bytes.Buffer
	w, err := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(b.module); errors.Join(err, w.Close()) != nil {
		return err
	}
	b.figures.AddOne(figures.Figure{Name: "module", Unit: "bytes"}, float64(len(b.module)))
	b.figures.AddOne(figures.Figure{Name: "module in gzip", Unit: "bytes"}, float64(zipped.Len()))
	return nil
}
