package admin

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/escape"
	"example.com/livery/cli/localfile"
	"example.com/livery/cli/process"
	"example.com/livery/cli/term"
	"example.com/livery/origin/operator"
	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
	"example.com/livery/storage/record"
)

const backupText = `Adds a backup of the store to the directory --to, which can hold the backups of one store; the origin may keep running.
Files of earlier backups are not copied again, and every file is read back. A backup holds the secrets of the store.`

func (a *app) backupCommand() *cobra.Command {
	var to string
	var keep int
	cmd := &cobra.Command{
		Use:     "backup DIR",
		Short:   "Back up the store of an origin, running or not",
		Long:    backupText,
		Example: "  livery store backup /var/lib/livery --to /mnt/backups/livery\n  livery store backup /var/lib/livery --to /mnt/backups/livery --keep 30",
		Args:    cmdline.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if keep < 1 && cmd.Flags().Changed("keep") {
				return term.UsageError("Keep at least one backup.", "--keep %d keeps no backup", keep)
			}
			return a.backup(cmd.Context(), args[0], to, keep)
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "directory `DIR` that holds the backups")
	cmd.Flags().IntVar(&keep, "keep", 0, "keep the newest `N` backups, this one counted (default: all)")
	cmdline.Require(cmd, "to")
	return a.JSONFlag(cmd)
}

// backedUp is what livery store backup says with --json.
type backedUp struct {
	pebble.BackupResult
	Pruned *pebble.PruneResult `json:"pruned,omitempty"` // nil without --keep
}

func (a *app) backup(ctx context.Context, data, to string, keep int) error {
	to, err := filepath.Abs(to)
	if err != nil {
		return err
	}
	end, _, err := a.followStore(ctx, data, backUpStore, to)
	if err != nil {
		return err
	}
	done := backedUp{BackupResult: *end.BackedUp}
	bar := a.ProgressBar("", 0)
	err = pebble.VerifyBackup(ctx, to, done.Backup, bar.Update)
	if err == nil && keep > 0 {
		var pruned pebble.PruneResult
		pruned, err = pebble.Prune(ctx, to, done.Backup.Store, keep, bar.Update)
		done.Pruned = &pruned
	}
	bar.Done()
	if err != nil {
		return err
	}
	return a.Show(done, func() {
		a.Say("Backup %s is in %s and reads back as it was written.", done.Backup.Name, to)
		a.Say("%s of %s; %s of %s were not there yet.", term.Plural(int(done.Files), "file"), byteText(done.Bytes), term.Plural(int(done.New), "file"), byteText(done.NewSize))
		if p := done.Pruned; p != nil && len(p.Backups) > 0 {
			a.Say("%s removed, and %s of %s that only they needed.", term.Plural(len(p.Backups), "older backup"), term.Plural(int(p.Files), "file"), byteText(p.Bytes))
		}
		a.Say("Restore it: livery store restore %s --to NEW_DIR", to)
	})
}

// followStore does work on a store and shows how far it is. It returns how it ended and what was found.
func (a *app) followStore(ctx context.Context, data, work, to string) (end storeEvent, found []storage.Finding, err error) {
	bar := a.ProgressBar("", 0)
	defer bar.Done()
	err = a.askStore(ctx, data, work, to, func(e storeEvent) {
		switch {
		case e.Progress != nil:
			bar.Update(e.Progress.Doing, e.Progress.Done, e.Progress.All)
		case e.Finding != nil:
			found = append(found, *e.Finding)
		default:
			end = e
		}
	})
	if err == nil && end.Fault != "" {
		err = term.Fail("Nothing was changed. Fix the cause, and try again.", "%s", end.Fault)
	}
	return end, found, err
}

// byteText spells a number of bytes in a unit that a person reads.
func byteText(n int64) string {
	const units = "kMGT"
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	f, unit := float64(n)/1000, 0
	for ; f >= 1000 && unit < len(units)-1; unit++ {
		f /= 1000
	}
	return fmt.Sprintf("%.1f %cB", f, units[unit])
}

const restoreText = `Makes a store from the newest backup in BACKUPS, or from the one called NAME, after comparing every file with its hash.
Without --to it lists the backups.
The restored store begins a new history, and deliveries that were due when the backup was taken are not sent.`

func (a *app) restoreCommand() *cobra.Command {
	var data string
	cmd := &cobra.Command{
		Use:     "restore BACKUPS [NAME]",
		Short:   "Make a data directory from a backup",
		Long:    restoreText,
		Example: "  livery store restore /mnt/backups/livery\n  livery store restore /mnt/backups/livery --to /var/lib/livery-restored",
		Args:    cmdline.Args(cobra.RangeArgs(1, 2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if data == "" {
				return a.listBackups(args[0])
			}
			return a.restore(cmd.Context(), args[0], data, args[1:])
		},
	}
	cmd.Flags().StringVar(&data, "to", "", "data directory `DIR` to make; it must hold no store (default: list the backups)")
	return a.JSONFlag(cmd)
}

func readBackups(dir string) ([]pebble.Backup, error) {
	all, err := pebble.Backups(dir)
	if err == nil && len(all) == 0 || localfile.IsMissing(dir) {
		return nil, term.Fail("Name the directory that livery store backup --to wrote to.", "%s holds no backup", dir)
	}
	return all, err
}

func (a *app) listBackups(dir string) error {
	all, err := readBackups(dir)
	if err != nil {
		return err
	}
	return a.Show(all, func() {
		t := term.Table{Head: []string{"BACKUP", "STORE", "FILES", "SIZE"}}
		for _, b := range all {
			size := int64(0)
			for _, f := range b.Files {
				size += f.Size
			}
			t.Add(b.Name, b.Store[:min(8, len(b.Store))], fmt.Sprint(len(b.Files)), byteText(size))
		}
		a.PrintTable(t)
	})
}

func (a *app) restore(ctx context.Context, dir, data string, name []string) error {
	all, err := readBackups(dir)
	if err != nil {
		return err
	}
	chosen := all[len(all)-1]
	if len(name) > 0 {
		i := slices.IndexFunc(all, func(b pebble.Backup) bool { return b.Name == name[0] })
		if i < 0 {
			return term.Fail("livery store restore "+dir+" lists them.", "%s holds no backup %s", dir, name[0])
		}
		chosen = all[i]
	}
	store := filepath.Join(data, "store")
	if !localfile.IsMissing(store) {
		return term.Fail("Name a new directory with --to.", "%s holds a store already", data)
	}
	if err := os.MkdirAll(data, 0o700); err != nil {
		return process.Unwritable(data, err)
	}
	bar := a.ProgressBar("", 0)
	log, err := process.Logger(a.App, "error", false)
	if err == nil {
		err = pebble.Restore(ctx, dir, chosen, store, pebble.Options{Logger: log}, bar.Update, func(s storage.Store) error {
			if err := storage.SkipDeliveries(ctx, s, time.Now().UTC()); err != nil {
				return err
			}
			return ownAudit(s)(ctx, record.Audit{Action: operator.ActionRestore, Target: "store", Changes: []string{"restored from backup " + chosen.Name}})
		})
	}
	bar.Done()
	if err != nil {
		return term.Fail("Restore another backup; livery store restore "+dir+" lists them.", "the backup cannot be restored: %v", err)
	}
	return a.Show(chosen, func() {
		a.Say("%s is restored from backup %s.", data, chosen.Name)
		a.Say("Look at it with livery store check %s, and start an origin on it.", data)
		a.Say("Its backups may go to %s too; those that are there stay.", dir)
	})
}

const checkStoreText = `Reads every record, reference, blob and hash, and prints what is wrong and how to fix it. It changes nothing, and the
origin may keep running. The exit code is 1 if anything is wrong.`

func (a *app) checkStoreCommand() *cobra.Command {
	return a.JSONFlag(&cobra.Command{
		Use:     "check DIR|URL",
		Short:   "Read all of a store and say what is wrong with it",
		Long:    checkStoreText,
		Example: "  livery store check /var/lib/livery",
		Args:    cmdline.Args(cobra.ExactArgs(1)),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.checkWholeStore(cmd.Context(), args[0]) },
	})
}

func (a *app) checkWholeStore(ctx context.Context, data string) error {
	end, found, err := a.followStore(ctx, data, checkStore, "")
	if err != nil {
		return err
	}
	said := struct {
		storage.CheckResult
		List []storage.Finding `json:"list"`
	}{*end.Checked, append([]storage.Finding{}, found...)}
	err = a.Show(said, func() {
		for _, f := range found {
			a.Say("%s", escape.Line(f.String()))
		}
		a.Say("%s and %s were read.", term.Plural(int(end.Checked.Records), "record"), term.Plural(int(end.Checked.Names), "reference"))
	})
	if err == nil && len(found) > 0 {
		err = term.Fail("Do what each line says, or restore a backup with livery store restore.", "%s in the store of %s", term.Plural(len(found), "fault"), data)
	}
	return err
}
