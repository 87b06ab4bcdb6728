#!/bin/sh
# What a job of continuous integration does with token files, the same on GitHub and GitLab:
#
#   livery-ci.sh install            put the program into a folder of its own, and that on the path
#   livery-ci.sh review FILE...     judge the files and tell a pull request what they would change
#   livery-ci.sh release FILE...    push and publish them, and wait until an edge serves them
#
# It needs curl and jq. Where it works is said by the variables that livery itself reads: LIVERY_URL,
# LIVERY_ENV, LIVERY_THEME, LIVERY_VARIANT, LIVERY_REPLACE, LIVERY_FAIL_ON_BREAKING, LIVERY_CREATE and
# LIVERY_INTEGRATION. LIVERY_PREVIEW names the file of a page that review draws of a Theme's files. A token is LIVERY_TOKEN, or else the identity of the job,
# for which GitHub is asked; the origin must then trust GitHub as an issuer. It ends with the exit code of
# livery: 1 refused, faults, or a change that can break a consumer and must not, 4 another client changed the
# draft, 5 not allowed.
#
# The token files are a stranger's: what they say reaches the comment and the log only as livery printed it,
# and GitHub obeys no line of that.
set -eu

main() {
	command=$1
	shift
	export CI=true NO_COLOR=1
	if [ -z "${LIVERY_INTEGRATION:-}" ]; then unset LIVERY_INTEGRATION; fi
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	case $command in
	install) install_program ;;
	review) take_token && review "$@" ;;
	release) take_token && quoted livery push "$@" --publish --wait ;;
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
	*) binary=$(command -v "$binary") || fail "the program $binary does not exist" ;;
	esac
	cp "$binary" "$folder/livery"
	chmod 755 "$folder/livery"
	if [ -n "${GITHUB_PATH:-}" ]; then echo "$folder" >>"$GITHUB_PATH"; fi
	"$folder/livery" help >/dev/null
}

# take_token asks GitHub for the identity of the job if no token is given. It is never printed.
take_token() {
	test -n "${LIVERY_URL:-}" || fail "LIVERY_URL does not say where the origin is"
	if [ -n "${LIVERY_TOKEN:-}" ]; then return; fi
	test -n "${ACTIONS_ID_TOKEN_REQUEST_URL:-}" || fail "the token is missing: give LIVERY_TOKEN, or the job the permission id-token: write"
	audience=$(printf '%s/public/v1' "${LIVERY_URL%/}" | jq -sRr @uri)
	LIVERY_TOKEN=$(header "Authorization: Bearer $ACTIONS_ID_TOKEN_REQUEST_TOKEN" |
		curl -fsS -H @- "$ACTIONS_ID_TOKEN_REQUEST_URL&audience=$audience" | jq -er .value) || fail "the job got no identity"
	if [ -n "${GITHUB_ACTIONS:-}" ]; then echo "::add-mask::$LIVERY_TOKEN"; fi
	export LIVERY_TOKEN
}

# header hands a header to curl past the list of processes, which others can read.
header() { printf '%s\n' "$1"; }

# quoted runs a command of which GitHub shows every line and obeys none, such as "::error::". Both outputs are one,
# so that no line comes after the end of it.
quoted() {
	if [ -z "${GITHUB_ACTIONS:-}" ]; then
		"$@"
		return
	fi
	word=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
	echo "::stop-commands::$word"
	ended=0
	"$@" 2>&1 || ended=$?
	printf '\n::%s::\n' "$word" # on a line of its own, whatever came before
	return "$ended"
}

# review ends with the faults of the files, or what they break, after it has told them and the changes.
review() {
	if is_new; then new=true; else new=false; fi
	judge faults.md check "$@" --markdown
	status=$code
	if [ -n "${GITHUB_ACTIONS:-}" ]; then check "$@" --github-annotations 2>/dev/null || true; fi
	if $new; then
		printf '### Livery: `%s` is new\n\nIt does not exist in `%s` yet: a push to the default branch makes it of these files.\n\n' \
			"${LIVERY_VARIANT:-$LIVERY_THEME}" "$LIVERY_ENV" >"$work/comment.md"
	else
		judge comment.md livery diff "$@" --markdown
		if [ "$status" = 0 ]; then status=$code; fi
	fi
	cat "$work/faults.md" >>"$work/comment.md"
	preview "$@"
	quoted cat "$work/comment.md"
	comment
	exit "$status"
}

# is_new says whether release would make the Theme, or the Variant.
is_new() {
	if [ "${LIVERY_CREATE:-}" != true ]; then return 1; fi
	name=${LIVERY_VARIANT:-$LIVERY_THEME}
	kind=theme
	if [ -n "${LIVERY_VARIANT:-}" ]; then kind=variant; fi
	code=0
	livery "$kind" list --json >"$work/list.json" 2>"$work/said" || code=$?
	if [ "$code" != 0 ]; then
		quoted cat "$work/said"
		exit "$code"
	fi
	jq -e --arg name "$name" 'all(.[]; .slug != $name and .id != $name)' "$work/list.json" >/dev/null
}

# check judges the files: laid over what there is, or alone if they are to make a Theme, or over the Theme alone if they are
# to make a Variant.
check() {
	if ! $new; then
		livery check "$@"
	elif [ -z "${LIVERY_VARIANT:-}" ]; then
		env -u LIVERY_THEME livery check "$@"
	else
		(
			unset LIVERY_VARIANT
			livery pull >"$work/theme.json" || exit
			unset LIVERY_THEME
			livery check "$work/theme.json" --overrides "$@"
		)
	fi
}

# judge writes what a command prints into a file and its exit code into code. One that could not judge prints nothing,
# and ends the script.
judge() {
	file=$1
	shift
	code=0
	"$@" >"$work/$file" 2>"$work/said" || code=$?
	if [ "$code" != 0 ]; then quoted cat "$work/said"; fi
	if [ "$code" != 0 ] && [ ! -s "$work/$file" ]; then exit "$code"; fi
}

# preview draws the page, which the workflow keeps as an artifact. A Variant's overrides alone have none.
preview() {
	if [ -z "${LIVERY_PREVIEW:-}" ] || [ -n "${LIVERY_VARIANT:-}" ]; then return; fi
	for file; do # a plain tokens.json would be the served file of that name
		case $file in
		/*) ;;
		*) file=./$file ;;
		esac
		set -- "$@" "$file"
		shift
	done
	quoted livery preview "$@" --out "$LIVERY_PREVIEW"
	if [ -n "${GITHUB_RUN_ID:-}" ]; then
		printf '\nThe page of these files is an artifact of [this run](%s/%s/actions/runs/%s#artifacts).\n' \
			"$GITHUB_SERVER_URL" "$GITHUB_REPOSITORY" "$GITHUB_RUN_ID" >>"$work/comment.md"
	fi
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
		# The token of a job may not ask GET /user; GraphQL tells it that it is github-actions[bot].
		me=$(ask --data-binary '{"query":"query{viewer{login}}"}' "$GITHUB_GRAPHQL_URL" | jq -er .data.viewer.login) || fail "GitHub does not say whose the token for comments is"
		write_comment PATCH "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues/comments"
	elif [ -n "${GITLAB_TOKEN:-}" ] && [ -n "${CI_MERGE_REQUEST_IID:-}" ]; then
		secret="PRIVATE-TOKEN: $GITLAB_TOKEN"
		list=$CI_API_V4_URL/projects/$CI_PROJECT_ID/merge_requests/$CI_MERGE_REQUEST_IID/notes
		me=$(ask "$CI_API_V4_URL/user" | jq -er .username) || fail "GitLab does not say whose the token for comments is"
		write_comment PUT "$list"
	fi
}

# ask sends a request with the token for comments.
ask() { header "$secret" | curl -fsS -H @- "$@"; }

# write_comment changes the comment of this token that ends with the mark by METHOD at FOLDER/ID, or makes one.
write_comment() {
	id=$(find_comment)
	method=POST
	address=$list
	if [ -n "$id" ]; then
		method=$1
		address=$2/$id
	fi
	ask -X "$method" -H 'Content-Type: application/json' --data-binary "@$work/body.json" -o "$work/answer.json" "$address"
}

# find_comment prints the id of the first comment that $me wrote and that ends with the mark, of all pages.
find_comment() {
	page=0
	while :; do
		page=$((page + 1))
		ask "$list?per_page=100&page=$page" >"$work/comments.json"
		if [ "$(jq length "$work/comments.json")" = 0 ]; then return; fi
		id=$(jq -r --arg mark "$mark" --arg me "$me" '[.[] | select((.user.login // .author.username) == $me)
			| select(.body // "" | sub("\\s+$"; "") | endswith($mark)) | .id][0] // empty' "$work/comments.json")
		if [ -n "$id" ]; then
			echo "$id"
			return
		fi
	done
}

test $# -gt 0 || fail "say install, review or release"
main "$@"
