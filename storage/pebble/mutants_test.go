//go:build mutants

package pebble_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// mutant is a bug and where it is planted: one passage of one file says something else.
type mutant struct {
	name     string
	file     string // in the folder storage
	old, bug string // old is there exactly once
}

// mutants are the bugs that the tests of storage must notice, each by itself.
var mutants = []mutant{
	{"a commit is not synced", "pebble/commit.go", `s.db.ApplyNoSyncWait(batch, pebble.Sync)`, `s.db.Apply(batch, pebble.NoSync)`},
	{"a commit is acknowledged before its sync", "pebble/commit.go", `if err := p.batch.SyncWait(); err != nil {`, `go func() { _ = p.batch.SyncWait() }()
	s.history.settle(p.state)
	if true {
		return nil
	}
	if err := error(nil); err != nil {`},
	{"a failed sync is taken for a success", "pebble/commit.go", `		s.fail(err)
		return err
	}
	s.history.settle`, `		return nil
	}
	s.history.settle`},
	{"the change is written in a second batch", "pebble/commit.go", `	if err := batch.Set(logKey(cursor.Seq), entry, nil); err != nil {
		return nil, failure("commit", err)
	}`, `	defer func() { _ = s.db.Set(logKey(cursor.Seq), entry, pebble.NoSync) }()`},
	{"the number is taken outside the lock", "pebble/commit.go", `	s.commitMu.Lock()
	defer s.commitMu.Unlock()
	if err := s.history.failed(); err != nil {
		return nil, err
	}
	cursor := storage.Cursor{Seq: s.last + 1, Tag: tag}`, `	cursor := storage.Cursor{Seq: s.last + 1, Tag: tag}
	s.commitMu.Lock()
	defer s.commitMu.Unlock()`},
	{"every change has the same tag", "pebble/commit.go", `if _, err := rand.Read(entry); err != nil {`, `if _, err := rand.Read(nil); err != nil {`},
	{"an answer does not wait for what it rests on", "pebble/commit.go", `if waitErr := s.history.await(ctx, p.seen); waitErr != nil {`, `if waitErr := s.history.await(ctx, 0); waitErr != nil {`},
	{"readers see what is not durable", "pebble/history.go", `	h.durable.refs.Add(1)
	return h.durable, nil`, `	h.applied.refs.Add(1)
	return h.applied, nil`},
	{"followers see what is not durable", "pebble/log.go", `	last := s.history.last()
	snap := s.db.NewSnapshot()`, `	newest := s.history.newest()
	last := newest.cursor
	newest.release()
	snap := s.db.NewSnapshot()`},
	{"a cursor's tag is not compared", "pebble/log.go", `if at.Tag != after.Tag {`, `if false {`},
	{"trimming drops one entry more", "pebble/log.go", `batch.DeleteRange(logKey(from+1), logKey(to+1), nil)`, `batch.DeleteRange(logKey(from+1), logKey(to+2), nil)`},
	{"two writers of one scope run at once", "pebble/scopes.go", `	lock := s.join(scope)
	select {`, `	lock := &scopeLock{free: make(chan struct{}, 1), users: 1}
	lock.free <- struct{}{}
	s.mu.Lock()
	s.locks[scope] = lock
	s.mu.Unlock()
	select {`},
	{"deleted prefixes come after what was written", "overlay.go", `	for key := range t.writes {
		if r.contains([]byte(key)) {
			delete(t.writes, key)
		}
	}
`, ``},
	{"a blob is put behind its back", "pebble/blob.go", `if err := batch.Commit(pebble.NoSync); err != nil {`, `go func() { _ = batch.Commit(pebble.NoSync) }()
	if true {
		return nil
	}
	if err := error(nil); err != nil {`},
	{"a blob is not compared with its name", "codec.go", `if got := record.HashOf(blob); got != name {`, `if got := record.HashOf(blob); false {`},
	{"a full disk is not looked at", "pebble/admission/diskspace.go", `if usage.AvailBytes < keep+uint64(s.inFlight)+2*uint64(cost) {`, `if false {`},
	{"a flush without room refuses no write", "pebble/admission/controller.go", `case c.flushErr != nil:`, `case false:`},
	{"a compaction may fill the disk", "pebble/admission/fs.go", `if f.space.floor >= 0 && !f.space.has(f.reservedFromMerges()+uint64(n)) {`, `if false {`},
	{"a flush may take the last bytes", "pebble/admission/fs.go", `last := uint64(min(f.space.floor/8, 4<<20)) + uint64(n)`, `last := uint64(0)`},
	{"what waits for a flush is not bounded", "pebble/admission/controller.go", `if current && !c.behind(cost) {`, `if current {`},
	{"a full disk takes nothing that frees it", "pebble/admission/diskspace.go", `return uint64(s.floor) / 2`, `return uint64(s.floor)`},
	{"a hang on a full disk is not looked for", "pebble/watchdog/watchdog.go", `if unfinished.lasts(begun, ended, w.config.Limit) {`, `if unfinished.lasts(begun, ended, 1000*w.config.Limit) {`},
	{"a backup is pruned with files that others need", "pebble/prune.go", `needed[string(f.Hash)] = true`, `needed[f.Name] = true`},
	{"the ballast is kept on a full disk", "pebble/admission/diskspace.go", `err := s.fs.Remove(s.path())
	s.log`, `err := error(nil)
	s.log`},
	{"a hang is only waited for", "pebble/canary.go", `s.fail(fmt.Errorf("%w: none within`, `_ = (fmt.Errorf("%w: none within`},
	{"the kernel's timer is not set", "pebble/watchdog/watchdog.go", `timer.set(2 * c.Limit)`, `c.Limit *= 1000`},
	{"a lost tail is not looked for", "pebble/logendmarker.go", `s.lost = was
`, ``},
	{"a blob is dropped without a look at its mark", "pebble/collect.go", `if n.unnamed.IsZero() || n.unnamed.After(before) {`, `if false {`},
	{"a blob that is put again keeps its mark", "pebble/blob.go", `return name, b.unmark(ctx, name)`, `return name, nil`},
	{"a blob that was just put is marked", "pebble/collect.go", `if !at.IsZero() && s.blobs.puts.has(name, s.opts.clock()) {`, `if false {`},
	{"overlays are not traced", "references.go", `{{Name: p.Overrides}, {Name: p.Overlay, Derived: true}}`, `{{Name: p.Overrides}}`},
	{"a blob is dropped in the run that finds it", "collect.go", `case b.unnamed != 0 && b.unnamed <= before.UnixMilli():`, `case b.unnamed == 0 || b.unnamed <= before.UnixMilli():`},
	{"a backup is restored without comparing it", "pebble/restore.go", `got != f.Hash {`, `false && got != f.Hash {`},
	{"a dump is loaded without comparing it", "dump/dump.go", `if err != nil || !bytes.Equal(got, want) {`, `if err != nil {`},
}

// TestMutants plants each bug in turn and lets the tests of storage run: one of them must fail.
func TestMutants(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	killed := 0
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			overlay := plant(t, root, m)
			start := time.Now()
			by, err := runWith(root, overlay)
			if err != nil {
				t.Fatalf("the mutant was not judged: %v", err)
			}
			if by == "" {
				t.Fatal("the mutant SURVIVED: no test fails")
			}
			killed++
			t.Logf("killed by %s in %s", by, time.Since(start).Round(time.Second))
		})
	}
	t.Logf("%d of %d mutants killed", killed, len(mutants))
}

// plant writes the changed file and the overlay that puts it in place of the original.
func plant(t *testing.T, root string, m mutant) (overlay string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(m.file))
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(source), m.old); n != 1 {
		t.Fatalf("%s has the passage %d times, want once: %s", m.file, n, m.old)
	}
	changed, overlay := filepath.Join(t.TempDir(), "changed.go"), filepath.Join(t.TempDir(), "overlay.json")
	text, err := json.Marshal(map[string]map[string]string{"Replace": {path: changed}})
	if err := errors.Join(err, os.WriteFile(changed, []byte(strings.Replace(string(source), m.old, m.bug, 1)), 0o600), os.WriteFile(overlay, text, 0o600)); err != nil {
		t.Fatal(err)
	}
	return overlay
}

var failed = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)

// runWith returns the deepest test that fails first under an overlay, "" if none does. A mutant
// that does not compile is an error, and one that hangs is killed by the limit.
func runWith(root, overlay string) (by string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "test", "-overlay", overlay, "-count=1", "-failfast", "-timeout=3m", "./...")
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	switch {
	case err == nil:
		return "", nil
	case bytes.Contains(out, []byte("[build failed]")) || bytes.Contains(out, []byte("[setup failed]")):
		return "", errors.New(string(out))
	}
	if found := failed.FindAllSubmatch(out, -1); len(found) > 0 {
		return string(found[len(found)-1][1]), nil
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return "a panic or a hang: " + strings.Join(lines[:min(8, len(lines))], " | "), nil
}
