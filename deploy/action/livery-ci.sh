#!/bin/sh
# What a job of continuous integration does with token files, the same on GitHub and GitLab:
#
#   livery-ci.sh install            put the program into a folder of its own, and that on the path
#   livery-ci.sh review FILE...     judge the files and tell a pull request what they would change
#   livery-ci.sh release FILE...    push and publish them, and wait until an edge serves them
#
# It needs curl and jq. Where it works is said by the variables that livery itself reads: LIVERY_URL,
# LIVERY_ENV, LIVERY_THEME, LIVERY_VARIANT, LIVERY_REPLACE. A token is LIVERY_TOKEN, or else the identity of
# the job, for which GitHub is asked; the origin must then trust GitHub as an issuer. It ends with the
# exit code of livery: 1 refused or faults, 4 somebody else changed the draft, 5 not allowed.
set -eu

main() {
	command=$1
	shift
	export CI=true NO_COLOR=1
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	case $command in
	install) install_program ;;
	review) take_token && review "$@" ;;
	release) take_token && livery push "$@" --publish --wait ;;
	*) fail "there is no $command: it is install, review or release" ;;
	esac
}

fail() {
	echo "livery-ci: $*" >&2
	exit 2
}

# install_program takes LIVERY_BINARY: a program on this machine, or an address with LIVERY_SHA256.
install_program() {
	binary=${LIVERY_BINARY:-livery}
	folder=${RUNNER_TEMP:-${CI_PROJECT_DIR:-.}/.livery-ci}/bin
	mkdir -p "$folder"
	case $binary in
	https://*)
		test -n "${LIVERY_SHA256:-}" || fail "an address of the program needs its checksum too"
		curl -fsSL --proto '=https' -o "$work/livery" "$binary"
		echo "$LIVERY_SHA256  $work/livery" | sha256sum -c - >/dev/null || fail "$binary is not the program of that checksum"
		binary=$work/livery
		;;
	*) binary=$(command -v "$binary") || fail "there is no program $binary" ;;
	esac
	cp "$binary" "$folder/livery"
	chmod 755 "$folder/livery"
	if [ -n "${GITHUB_PATH:-}" ]; then echo "$folder" >>"$GITHUB_PATH"; fi
	"$folder/livery" help >/dev/null
}

# take_token asks GitHub for the identity of the job where no token is given. It is never printed.
take_token() {
	test -n "${LIVERY_URL:-}" || fail "LIVERY_URL does not say where the origin is"
	if [ -n "${LIVERY_TOKEN:-}" ]; then return; fi
	test -n "${ACTIONS_ID_TOKEN_REQUEST_URL:-}" || fail "there is no token: give LIVERY_TOKEN, or the job the permission id-token: write"
	audience=$(printf '%s/public/v1' "${LIVERY_URL%/}" | jq -sRr @uri)
	LIVERY_TOKEN=$(header "Authorization: Bearer $ACTIONS_ID_TOKEN_REQUEST_TOKEN" |
		curl -fsS -H @- "$ACTIONS_ID_TOKEN_REQUEST_URL&audience=$audience" | jq -er .value) || fail "the job got no identity"
	if [ -n "${GITHUB_ACTIONS:-}" ]; then echo "::add-mask::$LIVERY_TOKEN"; fi
	export LIVERY_TOKEN
}

# header hands a header to curl past the list of processes, which others can read.
header() { printf '%s\n' "$1"; }

# review ends with the faults of the files after it has told them and the changes.
review() {
	status=0
	livery check "$@" --json >"$work/faults.json" 2>"$work/said" || status=$?
	if [ ! -s "$work/faults.json" ]; then # it could not judge at all
		cat "$work/said" >&2
		exit "$status"
	fi
	annotate
	livery diff "$@" --markdown >"$work/comment.md"
	if [ "$status" != 0 ]; then
		printf '\n**The served files would leave out:**\n\n' >>"$work/comment.md"
		jq -r '.[] | "    " + (.where // "") + " " + .path + ": " + .kind + ": " + .message' "$work/faults.json" >>"$work/comment.md"
	fi
	cat "$work/comment.md"
	comment
	exit "$status"
}

# annotate puts each fault beside its line in the changed files that GitHub shows.
annotate() {
	if [ -z "${GITHUB_ACTIONS:-}" ]; then return; fi
	jq -r 'def data: gsub("%"; "%25") | gsub("\r"; "%0D") | gsub("\n"; "%0A");
		def property: data | gsub(":"; "%3A") | gsub(","; "%2C");
		.[] | select(.where) | (.where | capture("^(?<file>.*):(?<line>[0-9]+)$")) as $at
		| "::error file=\($at.file | property),line=\($at.line)::\(.path + ": " + .message + " " + .next | data)"' "$work/faults.json"
}

# comment writes the comment, over the one that an earlier run wrote for the same place.
comment() {
	mark="<!-- livery ${LIVERY_ENV:-} ${LIVERY_THEME:-} ${LIVERY_VARIANT:-} -->"
	{
		cat "$work/comment.md"
		printf '\n%s\n' "$mark"
	} | jq -Rs '{body: .}' >"$work/body.json"
	if [ -n "${GITHUB_TOKEN:-}" ] && [ -n "${GITHUB_EVENT_PATH:-}" ]; then
		number=$(jq -r '.pull_request.number // empty' "$GITHUB_EVENT_PATH")
		if [ -z "$number" ]; then return; fi
		secret="Authorization: Bearer $GITHUB_TOKEN"
		list=$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues/$number/comments
		write_comment PATCH "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues/comments"
	elif [ -n "${GITLAB_TOKEN:-}" ] && [ -n "${CI_MERGE_REQUEST_IID:-}" ]; then
		secret="PRIVATE-TOKEN: $GITLAB_TOKEN"
		list=$CI_API_V4_URL/projects/$CI_PROJECT_ID/merge_requests/$CI_MERGE_REQUEST_IID/notes
		write_comment PUT "$list"
	fi
}

# write_comment changes the comment that has the mark by METHOD at FOLDER/ID, or makes one.
write_comment() {
	header "$secret" | curl -fsS -H @- "$list?per_page=100" >"$work/comments.json"
	id=$(jq -r --arg mark "$mark" '[.[] | select(.body | contains($mark)) | .id][0] // empty' "$work/comments.json")
	method=POST
	address=$list
	if [ -n "$id" ]; then
		method=$1
		address=$2/$id
	fi
	header "$secret" | curl -fsS -X "$method" -H @- -H 'Content-Type: application/json' --data-binary "@$work/body.json" -o "$work/answer.json" "$address"
}

test $# -gt 0 || fail "say install, review or release"
main "$@"
