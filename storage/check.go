package storage

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"example.com/livery/storage/record"
)

// Finding is one thing that is wrong with a store.
type Finding struct {
	Where   string // a record by its table and key parts, a blob by its name, an entry of the change log, or a file
	Problem string // what is wrong with it
	Repair  string // what would mend it
}

// String spells the finding in one line.
func (f Finding) String() string { return f.Where + ": " + f.Problem + ": " + f.Repair }

// The repairs that findings name.
const (
	RepairRestore = "restore the newest backup without it, or ask the owner of the data to write it again"
	RepairDerived = "nothing to do: it is made again when it is asked for"
	RepairPublish = "publish it again, or put the same bytes again; edges that hold the version serve it on"
	RepairDelete  = "delete it; nothing depends on it"
)

// CheckResult is what CheckStore walked over.
type CheckResult struct {
	Records  int64
	Names    int64 // of blobs, by records
	Findings int64
}

// CheckStore walks over every record, every name of a blob and every hash on one snapshot, then lets
// the engine read every blob and the change log, and calls report for each thing that is wrong. It
// changes nothing and may run beside everything else. The error is what stopped it.
func CheckStore(ctx context.Context, store Store, progress Progress, report func(Finding)) (CheckResult, error) {
	c := &checker{ctx: ctx, progress: progress}
	c.report = func(f Finding) {
		c.done.Findings++
		report(f)
	}
	blobs, err := listBlobs(ctx, store, progress)
	if err != nil {
		return c.done, fmt.Errorf("storage: check: %w", err)
	}
	for _, b := range blobs {
		c.blobs = append(c.blobs, b.digest)
	}
	err = store.View(ctx, c.walk)
	if err == nil {
		err = c.confirmMissing(store)
	}
	if err == nil {
		progress.Tell("read blobs and the change log", 0, len(blobs))
		err = store.Check(ctx, c.report)
	}
	if err != nil {
		return c.done, fmt.Errorf("storage: check: %w", err)
	}
	return c.done, nil
}

// checker walks over the records of one snapshot.
type checker struct {
	ctx      context.Context
	r        Reader
	blobs    digests // that are there, sorted
	absent   []absentBlob
	progress Progress
	report   func(Finding)
	done     CheckResult
}

// absentBlob is a name without a blob in the list.
type absentBlob struct {
	name    record.Hash
	where   string
	derived bool
}

// where spells a key for people: the table's name and the key's parts.
func where(table string, key []byte) string {
	return table + " " + strings.Join(parts(key), " ")
}

func parts(key []byte) []string {
	if len(key) < 2 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(key[1:]), "\x00"), "\x00")
}

func (c *checker) walk(r Reader) error {
	c.r = r
	for _, step := range []func() error{
		c.knownTables, c.teams, c.environments, c.themes, c.themeVersions, c.themeDrafts,
		c.variants, c.variantVersions, c.variantDrafts, c.pairs, c.modules, c.loose, c.audits, c.events, c.webhooks, c.indexes, c.counts,
	} {
		err := step()
		if errors.Is(err, ErrCorrupt) { // one table cannot be read further; another may be sound
			c.report(Finding{"records", err.Error(), RepairRestore})
			err = nil
		}
		if err != nil {
			return err
		}
		c.progress.Tell("check records", int(c.done.Records), 0)
	}
	return nil
}

// tables are the letters of the key table.
const tables = "TtmEeHhursDNVvdnPMKOJIASLlWw"

// knownTables finds keys outside the key table.
func (c *checker) knownTables() error {
	return c.r.Scan(nil, Ascending, func(key, _ []byte) bool {
		c.done.Records++
		if strings.IndexByte(tables, key[0]) < 0 || key[len(key)-1] != 0 {
			c.report(Finding{fmt.Sprintf("key %q", key), "it belongs to no table of this build", "use the newer Livery that wrote it; else " + RepairDelete})
		}
		return c.ctx.Err() == nil
	})
}

// each calls look for every record of a table, and reports those that cannot be read or whose key
// does not have n parts.
func each[T any](c *checker, t Table[T], n int, look func(at string, parts []string, v T)) error {
	err := c.r.Scan(Key(t.letter), Ascending, func(key, value []byte) bool {
		var v T
		at, p := where(t.name, key), parts(key)
		switch err := record.Decode(value, &v); {
		case err != nil:
			c.report(Finding{at, err.Error(), RepairRestore})
		case len(p) != n:
			c.report(Finding{at, fmt.Sprintf("its key has %d parts and not %d", len(p), n), RepairDelete})
		default:
			look(at, p, v)
		}
		return c.ctx.Err() == nil
	})
	return errors.Join(err, c.ctx.Err())
}

// named notes which of the blobs that a record names are not in the list. The list may be older than
// the name, so they are asked for later.
func (c *checker) named(at string, refs []Reference) {
	for _, ref := range refs {
		if ref.Name == "" {
			continue
		}
		c.done.Names++
		d, err := parseDigest(ref.Name)
		switch {
		case err != nil:
			c.report(Finding{at, fmt.Sprintf("%q is not the name of a blob", ref.Name), RepairRestore})
		case !c.blobs.has(d):
			c.absent = append(c.absent, absentBlob{ref.Name, at, ref.Derived})
		}
	}
}

// exists reports whether there is a record, and reports a missing one that at depends on.
func exists[T any](c *checker, t Table[T], at string, parts ...string) bool {
	_, err := c.r.Get(Key(t.letter, parts...))
	if err != nil {
		c.report(Finding{at, "its " + t.name + " " + strings.Join(parts, " ") + " is not there", RepairRestore})
	}
	return err == nil
}

// same reports a record whose key says another thing than its content.
func (c *checker) same(at, what, key, content string) {
	if key != content {
		c.report(Finding{at, fmt.Sprintf("its key says %s %q and its content %q", what, key, content), RepairRestore})
	}
}

// indexed reports a record that cannot be found by its slug.
func (c *checker) indexed(at string, x Index, id, slug string, parts ...string) {
	if got, err := x.Read(c.r, slug, parts...); err != nil || got != id {
		c.report(Finding{at, fmt.Sprintf("the index of slugs has %q for %q", got, slug), "rename it to another slug and back, which writes the entry again"})
	}
}
