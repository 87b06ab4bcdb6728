#!/bin/sh
# After a removal. /var/lib/livery is left as it is, also by a purge: it is the only copy of what was published.
set -e
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
fi
