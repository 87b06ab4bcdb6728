#!/bin/sh
# Before a removal ("remove" of dpkg, 0 of rpm) the services are stopped; before an upgrade they run on.
set -e
case "$1" in
remove | 0)
	if [ -d /run/systemd/system ]; then
		systemctl --no-reload disable --now livery-origin.service livery-edge.service
	fi
	;;
esac
