#!/bin/sh
# After an installation or an upgrade. dpkg gives "configure", rpm the number of versions that are installed then.
set -e
if command -v systemd-sysusers >/dev/null 2>&1; then
	systemd-sysusers livery.conf
elif ! getent passwd livery >/dev/null; then
	useradd --system --user-group --home-dir /var/lib/livery --no-create-home --shell /usr/sbin/nologin livery
fi
[ -d /var/lib/livery ] || install -d -m 0700 -o livery -g livery /var/lib/livery
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	systemctl try-restart livery-origin.service livery-edge.service
fi
