#!/bin/sh
# Puts the program livery into a folder of its own, and that on the path of the job. LIVERY_BINARY is a program on this machine,
# or an https address of a program or of the archive of a release; an address needs LIVERY_SHA256.
set -eu

fail() {
	echo "install: $*" >&2
	exit 2
}

binary=${LIVERY_BINARY:-livery}
folder=${RUNNER_TEMP:-${CI_PROJECT_DIR:-.}/.livery-ci}/bin
mkdir -p "$folder"
case $binary in
https://*)
	test -n "${LIVERY_SHA256:-}" || fail "an address of the program needs its checksum too"
	curl -fsSL --proto '=https' -o "$folder/download" "$binary"
	echo "$LIVERY_SHA256  $folder/download" | sha256sum -c - >/dev/null || fail "$binary is not the program of that checksum"
	case $binary in
	*.tar.gz) tar -xzOf "$folder/download" livery >"$folder/livery" ;;
	*) mv "$folder/download" "$folder/livery" ;;
	esac
	rm -f "$folder/download"
	;;
*)
	binary=$(command -v "$binary") || fail "the program $binary does not exist"
	cp "$binary" "$folder/livery"
	;;
esac
chmod 755 "$folder/livery"
if [ -n "${GITHUB_PATH:-}" ]; then echo "$folder" >>"$GITHUB_PATH"; fi
"$folder/livery" version
