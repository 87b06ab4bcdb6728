package origin

import (
	"context"
	"log/slog"

	"example.com/livery/origin/operator"
	"example.com/livery/storage/record"
)

// auditLogged logs and counts an entry of the audit log that was committed.
func (o *Origin) auditLogged(a record.Audit) {
	if a.Action == operator.ActionBackup {
		o.maintenance.BackupTaken(a.At)
	}
	o.metrics.AuditLogged(a)
	o.log.LogAttrs(o.ctx, slog.LevelInfo, "origin: audit", slog.String("who", operator.Name(a.Actor)), slog.String("kind", a.Actor.Kind),
		slog.String("action", a.Action), slog.String("target", a.Target), slog.String("environment", a.EnvironmentID),
		slog.String("theme", a.ThemeID), slog.Any("changes", a.Changes), slog.String("request", a.RequestID))
}

// Note writes one entry into the audit log, of what was done beside the operator socket, in the
// name of by.
func (o *Origin) Note(ctx context.Context, by record.Actor, a record.Audit) error {
	return operator.Note(operator.On(ctx, operator.Behalf{By: by, AuditLogged: o.auditLogged}), o.store, o.now(), a)
}
