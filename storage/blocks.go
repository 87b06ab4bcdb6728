package storage

import (
	"errors"
	"slices"
	"sort"

	"example.com/livery/storage/record"
)

// A sparse index lies over an Index whose lists grow long: it splits a list into blocks of neighbouring slugs
// and counts each block, so that any place of the list is found without walking to it. It is written in the
// commit that writes the slug. A list without one is walked.

// maxBlock is how many slugs a block has at most.
const maxBlock = 512

// blocks are the table of sparse indexes. Its parts are the letter of the Index and the Index's own.
var blocks = Table[record.Blocks]{'S', "slug blocks"}

func (x Index) blockParts(parts []string) []string {
	return append([]string{string(x.letter)}, parts...)
}

// Blocks returns the sparse index of the list under parts, ErrNotFound if there is none.
func (x Index) Blocks(r Reader, parts ...string) (record.Blocks, error) {
	return blocks.Read(r, x.blockParts(parts)...)
}

// Rebuild writes the sparse index of the list under parts anew. It costs a walk over the list.
func (x Index) Rebuild(tx Tx, parts ...string) error {
	b, err := x.divide(tx, parts)
	if err != nil {
		return err
	}
	return blocks.Write(tx, b, x.blockParts(parts)...)
}

// Counted reports whether the sparse index of the list under parts counts it right, which an empty list
// without one does too. It costs a walk over the list.
func (x Index) Counted(r Reader, parts ...string) (bool, error) {
	b, err := x.Blocks(r, parts...)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return false, err
	}
	at, right := 0, true
	counts := make([]int, len(b.Blocks))
	err = x.Scan(r, Ascending, func(slug, _ string) bool {
		for at+1 < len(b.Blocks) && slug >= b.Blocks[at+1].First {
			at++
		}
		if right = at < len(counts); right {
			counts[at]++
		}
		return right
	}, parts...)
	for i, block := range b.Blocks {
		right = right && counts[i] == block.Count
	}
	return right, err
}

// divide walks over a list and returns its blocks, each half full.
func (x Index) divide(r Reader, parts []string) (b record.Blocks, err error) {
	b.Blocks = []record.Block{{}}
	err = x.Scan(r, Ascending, func(slug, _ string) bool {
		last := &b.Blocks[len(b.Blocks)-1]
		if last.Count == maxBlock/2 {
			b.Blocks = append(b.Blocks, record.Block{First: slug})
			last = &b.Blocks[len(b.Blocks)-1]
		}
		last.Count++
		return true
	}, parts...)
	return b, err
}

// recount brings the sparse index up to date after a slug was added, by 1, or deleted, by -1.
func (x Index) recount(tx Tx, slug string, by int, parts []string) error {
	b, err := x.Blocks(tx, parts...)
	if errors.Is(err, ErrNotFound) {
		return x.Rebuild(tx, parts...)
	}
	if err != nil {
		return err
	}
	i := sort.Search(len(b.Blocks)-1, func(i int) bool { return b.Blocks[i+1].First > slug })
	b.Blocks[i].Count += by
	switch {
	case b.Blocks[i].Count > maxBlock:
		err = x.split(tx, &b, i, parts)
	case by < 0:
		merge(&b, i)
	}
	if err != nil {
		return err
	}
	return blocks.Write(tx, b, x.blockParts(parts)...)
}

// split divides block i in the middle.
func (x Index) split(r Reader, b *record.Blocks, i int, parts []string) error {
	start, end := x.bounds(*b, i, parts)
	n, half := 0, b.Blocks[i].Count/2
	var middle string
	err := r.ScanRange(start, end, Ascending, func(key, _ []byte) bool {
		middle = LastPart(key)
		n++
		return n <= half
	})
	if err != nil || n <= half {
		return err
	}
	rest := record.Block{First: middle, Count: b.Blocks[i].Count - half}
	b.Blocks[i].Count = half
	b.Blocks = slices.Insert(b.Blocks, i+1, rest)
	return nil
}

// merge joins block i with the next, or the one before, if both fill half a block.
func merge(b *record.Blocks, i int) {
	for _, left := range []int{i, i - 1} {
		if left < 0 || left+1 >= len(b.Blocks) || b.Blocks[left].Count+b.Blocks[left+1].Count > maxBlock/2 {
			continue
		}
		b.Blocks[left].Count += b.Blocks[left+1].Count
		b.Blocks = slices.Delete(b.Blocks, left+1, left+2)
		return
	}
}

// bounds are those of the keys of block i.
func (x Index) bounds(b record.Blocks, i int, parts []string) (start, end []byte) {
	start, end = Span(Key(x.letter, parts...))
	if i > 0 {
		start = x.key(b.Blocks[i].First, parts)
	}
	if i+1 < len(b.Blocks) {
		end = x.key(b.Blocks[i+1].First, parts)
	}
	return start, end
}

// ScanFrom is Scan without the first skip entries, which cost the walk over a part of one block. b is the sparse
// index of the list, of the same snapshot.
func (x Index) ScanFrom(r Reader, b record.Blocks, order Order, skip int, each func(slug, id string) (more bool), parts ...string) error {
	start, end := Span(Key(x.letter, parts...))
	for n := range b.Blocks {
		i := n
		if order == Descending {
			i = len(b.Blocks) - 1 - n
		}
		if skip >= b.Blocks[i].Count {
			skip -= b.Blocks[i].Count
			continue
		}
		from, to := x.bounds(b, i, parts)
		if order == Descending {
			end = to
		} else {
			start = from
		}
		return r.ScanRange(start, end, order, func(key, value []byte) bool {
			if skip--; skip >= 0 {
				return true
			}
			return each(LastPart(key), string(value))
		})
	}
	return nil
}
