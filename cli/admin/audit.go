package admin

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/escape"
	"example.com/livery/cli/term"
	"example.com/livery/origin/operator"
	"example.com/livery/storage/record"
)

// auditFlags are the flags of livery audit.
type auditFlags struct {
	since, theme, who string
	follow            bool
}

const auditText = `Prints who changed what, oldest first: everything that operators did, and what users published, deleted and
changed in how Themes are served. Drafts are not in it. livery store check finds entries that were changed or removed.`

func (a *app) auditCommand() *cobra.Command {
	var f auditFlags
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Print who changed what, and when",
		Long:  auditText,
		Example: "  livery audit --data .livery --since 24h\n  livery audit --theme web --who ci\n" +
			"  livery audit --follow --json >> /var/log/livery-audit.jsonl",
		Args: cmdline.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.audit(cmd.Context(), f) },
	}
	cmd.Flags().StringVar(&f.since, "since", "", "how far back, a `DURATION` such as 90m, 24h or 30d (default: the newest 1,000)")
	cmd.Flags().StringVar(&f.theme, "theme", "", "only what was done to this `THEME`, an id or a slug")
	cmd.Flags().StringVar(&f.who, "who", "", "only what this `SUBJECT`, login, uid or SUDO_USER did")
	cmd.Flags().BoolVar(&f.follow, "follow", false, "print new entries as they are written, until Ctrl-C")
	return a.JSONFlag(a.operatorFlags(cmd))
}

func (a *app) audit(ctx context.Context, f auditFlags) error {
	query := operator.AuditQuery{Theme: f.theme, Who: f.who}
	if f.since != "" {
		back, err := cmdline.LongDuration("since", f.since)
		if err != nil {
			return err
		}
		query.Since = time.Now().Add(-back)
	}
	page, err := a.askAudit(ctx, query)
	if err != nil {
		return err
	}
	if !f.follow {
		return a.Show(page, func() { a.printAudit(page, true) })
	}
	if err := a.printNews(page, true); err != nil {
		return err
	}
	query.Since = time.Time{}
	return term.Follow(ctx, func() (err error) {
		query.After = page.Ends
		if page, err = a.askAudit(ctx, query); err != nil {
			return err
		}
		return a.printNews(page, false)
	})
}

func (a *app) askAudit(ctx context.Context, query operator.AuditQuery) (page operator.AuditPage, err error) {
	err = a.operator().Call(ctx, http.MethodPost, "audit/query", query, &page)
	return page, err
}

func (a *app) printNews(page operator.AuditPage, first bool) error {
	if !a.JSON {
		a.printAudit(page, first)
		return nil
	}
	for _, entry := range page.Entries {
		if err := a.Encode(entry, ""); err != nil {
			return err
		}
	}
	return nil
}

// auditWidths are the least widths of the columns, so that entries that come later stand below each other.
var auditWidths = []int{20, 10, 15, 10, 0}

func (a *app) printAudit(page operator.AuditPage, head bool) {
	if page.More {
		a.Say("Older entries are left out; ask with --since, --theme or --who.")
	}
	rows := [][]term.Escaped{{"WHEN", "WHO", "ACTION", "TARGET", "CHANGES"}}
	for _, entry := range page.Entries {
		rows = append(rows, auditRow(entry))
	}
	widths := append([]int{}, auditWidths...)
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], term.Width(cell))
		}
	}
	if head {
		a.Say("%s", a.Styled("2", term.AlignRow(rows[0], widths)))
	}
	for _, row := range rows[1:] {
		a.Say("%s", term.AlignRow(row, widths))
	}
}

// auditRow spells an entry.
func auditRow(entry record.Audit) []term.Escaped {
	return term.CellsOf([]string{
		entry.At.UTC().Format(time.RFC3339), escape.Line(operator.Name(entry.Actor)), entry.Action, escape.Line(entry.Target), escape.Line(strings.Join(entry.Changes, "; ")),
	})
}
