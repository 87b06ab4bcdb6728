#!/bin/sh
# What a job of continuous integration does with token files, the same on GitHub and GitLab:
#
#   livery-ci.sh install            put the program into a folder of its own, and that on the path
#   livery-ci.sh review FILE...     judge the files and tell a pull request what they would change
#   livery-ci.sh release FILE...    push and publish them, and wait until an edge serves them
#   livery-ci.sh close              drop the preview of the pull request, and those of others that are closed
#
# It needs curl and jq. Where it works is said by the variables that livery itself reads: LIVERY_URL,
# LIVERY_ENV, LIVERY_THEME, LIVERY_VARIANT, LIVERY_REPLACE, LIVERY_ACCEPT_LOSS, LIVERY_FAIL_ON_BREAKING, LIVERY_CREATE, LIVERY_WAIT (true)
# and LIVERY_INTEGRATION. LIVERY_PREVIEW names the file of a page that review draws of a Theme's files, and
# LIVERY_PREVIEW_ENV the Environment of previews into which it publishes them. A token is LIVERY_TOKEN, or else the
# identity of the job, for which GitHub is asked; the origin must then trust GitHub as an issuer. It ends with the exit
# code of livery: 1 refused, faults, or a change that can break a consumer and must not, 4 another client changed the
# draft, 5 not allowed.
#
# The pull request of a fork has no identity here: its files are judged alone, and nothing is sent to the origin.
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
	review) if ! has_token && is_fork; then review_fork "$@"; else take_token && review "$@"; fi ;;
	release) take_token && release "$@" ;;
	publish-preview) publish_preview "$@" ;; # of review alone
	close) if has_token || ! is_fork; then take_token && close; fi ;;
	*) fail "$command is not a command: use install, review, release or close" ;;
	esac
}

fail() {
	echo "livery-ci: $*" >&2
	exit 2
}

# install_program takes LIVERY_BINARY: a program on this machine, or an address with LIVERY_SHA256 of a program or of the
# archive of a release.
install_program() {
	binary=${LIVERY_BINARY:-livery}
	folder=${RUNNER_TEMP:-${CI_PROJECT_DIR:-.}/.livery-ci}/bin
	mkdir -p "$folder"
	case $binary in
	https://*)
		test -n "${LIVERY_SHA256:-}" || fail "an address of the program needs its checksum too"
		curl -fsSL --proto '=https' -o "$work/download" "$binary"
		echo "$LIVERY_SHA256  $work/download" | sha256sum -c - >/dev/null || fail "$binary is not the program of that checksum"
		case $binary in
		*.tar.gz) tar -xzOf "$work/download" livery >"$work/livery" ;;
		*) mv "$work/download" "$work/livery" ;;
		esac
		binary=$work/livery
		;;
	*) binary=$(command -v "$binary") || fail "the program $binary does not exist" ;;
	esac
	cp "$binary" "$folder/livery"
	chmod 755 "$folder/livery"
	if [ -n "${GITHUB_PATH:-}" ]; then echo "$folder" >>"$GITHUB_PATH"; fi
	"$folder/livery" help >/dev/null
}

# has_token says whether the job has a token for the origin, or can get one. That of a job that runs in a fork on GitLab
# is of the fork.
has_token() {
	if [ -n "${CI_MERGE_REQUEST_PROJECT_ID:-}" ] && [ "$CI_MERGE_REQUEST_PROJECT_ID" != "$CI_PROJECT_ID" ]; then return 1; fi
	[ -n "${LIVERY_TOKEN:-}${ACTIONS_ID_TOKEN_REQUEST_URL:-}" ]
}

# is_fork says whether the pull request is of another repository than the one that it is for, or of one that is gone.
is_fork() {
	if [ -n "${CI_MERGE_REQUEST_PROJECT_ID:-}" ]; then
		[ "$CI_MERGE_REQUEST_PROJECT_ID" != "${CI_MERGE_REQUEST_SOURCE_PROJECT_ID:-}" ]
	else
		[ -n "${GITHUB_EVENT_PATH:-}" ] &&
			jq -e '.pull_request | . != null and (.head.repo.id != .base.repo.id)' "$GITHUB_EVENT_PATH" >/dev/null
	fi
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
	faulty=$code
	if [ -n "${GITHUB_ACTIONS:-}" ]; then check "$@" --github-annotations 2>/dev/null || true; fi
	if $new; then
		printf '### Livery: `%s` is new\n\nIt does not exist in `%s` yet: a push to the default branch makes it of these files.\n\n' \
			"${LIVERY_VARIANT:-$LIVERY_THEME}" "$LIVERY_ENV" >"$work/comment.md"
	else
		judge comment.md livery diff "$@" --markdown
		if [ "$status" = 0 ]; then status=$code; fi
	fi
	cat "$work/faults.md" >>"$work/comment.md"
	page "$@"
	preview "$@"
	quoted cat "$work/comment.md"
	comment
	exit "$status"
}

# review_fork judges the files alone and tells it in the log and the summary of the job: GitHub gives the pull request of
# a fork neither an identity nor a token that may write a comment.
review_fork() {
	status=0
	if [ -z "${LIVERY_VARIANT:-}" ]; then
		judge faults.md env -u LIVERY_THEME livery check "$@" --markdown
		status=$code
	fi
	{
		printf '### Livery: %s\n\n' "$(code "${LIVERY_VARIANT:-$LIVERY_THEME}")"
		echo 'This pull request is of a fork, whose jobs have no identity here. So its files were judged alone: there is no'
		echo 'comparison, and no preview.'
		if [ -f "$work/faults.md" ]; then cat "$work/faults.md"; fi
	} >"$work/comment.md"
	quoted cat "$work/comment.md"
	if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then cat "$work/comment.md" >>"$GITHUB_STEP_SUMMARY"; fi
	exit "$status"
}

# code quotes a word for Markdown.
code() { printf '`%s`' "$(printf %s "$1" | tr -d '\n`')"; }

release() {
	export LIVERY_WAIT="${LIVERY_WAIT:-true}"
	quoted livery push "$@" --publish
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

# page draws the page, which the workflow keeps as an artifact. A Variant's overrides alone have none.
page() {
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

# preview publishes the files as a Theme of the pull request's own in the Environment of previews, and adds its addresses
# to the comment, or why there are none. Later runs publish it anew, so that the addresses stay.
preview() {
	if [ -z "${LIVERY_PREVIEW_ENV:-}" ]; then return; fi
	if is_fork; then
		no_preview "this pull request is of a fork"
	elif $new && [ -z "${LIVERY_VARIANT:-}" ]; then
		no_preview "it is served by the rules of the Theme, which does not exist yet"
	elif [ "$faulty" != 0 ]; then
		no_preview "the files have faults"
	else
		code=0
		quoted sh "$0" publish-preview "$@" || code=$?
		if [ "$code" != 0 ]; then
			no_preview "it could not be published; the log of the job says why"
			if [ "$status" = 0 ]; then status=$code; fi
			return
		fi
		tell_preview
	fi
}

no_preview() { printf '\nNo preview: %s.\n' "$1" >>"$work/comment.md"; }

# preview_prefix is what the names of the previews of all pull requests for this place begin with.
preview_prefix() { printf '%s-pr-' "$LIVERY_THEME${LIVERY_VARIANT:+-$LIVERY_VARIANT}"; }

# pull_number prints the number of the pull request.
pull_number() {
	number=${CI_MERGE_REQUEST_IID:-}
	if [ -n "${GITHUB_EVENT_PATH:-}" ]; then number=$(jq -r '.pull_request.number // empty' "$GITHUB_EVENT_PATH"); fi
	case $number in
	'' | *[!0-9]*) fail "this job is not of a pull request" ;;
	esac
	echo "$number"
}

# publish_preview publishes what a release of the files would: them, or, if that would keep what they do not name, them
# laid over what there is. The preview of a Variant is that of its Theme as it is, too.
publish_preview() {
	number=$(pull_number)
	theme=$LIVERY_THEME
	variant=${LIVERY_VARIANT:-}
	if [ "${LIVERY_REPLACE:-}" != true ] && ! is_new; then
		livery pull >"$work/before.json"
		set -- "$work/before.json" "$@"
	fi
	name=$(preview_prefix)$number
	unset LIVERY_VARIANT LIVERY_CREATE
	if [ -n "$variant" ]; then livery pull >"$work/theme.json"; fi
	export LIVERY_ENV="$LIVERY_PREVIEW_ENV" LIVERY_REPLACE=true
	livery theme list --json >"$work/previews.json"
	if ! jq -e --arg name "$name" 'any(.[]; .slug == $name)' "$work/previews.json" >/dev/null; then
		livery theme create "$name" --preview-of "$theme"
	fi
	export LIVERY_THEME="$name"
	unset LIVERY_WAIT # tell_preview waits
	if [ -z "$variant" ]; then
		livery push "$@" --publish
	else
		livery push "$work/theme.json" --publish
		livery push "$@" --variant "$variant" --create --publish
	fi
}

# tell_preview adds the addresses of the preview to the comment, and the first of them to the outputs of the step.
tell_preview() {
	number=$(pull_number)
	name=$(preview_prefix)$number
	if [ -n "${LIVERY_VARIANT:-}" ]; then
		LIVERY_ENV=$LIVERY_PREVIEW_ENV LIVERY_THEME=$name livery variant show "$LIVERY_VARIANT" --json >"$work/preview.json"
	else
		LIVERY_ENV=$LIVERY_PREVIEW_ENV livery theme show "$name" --json >"$work/preview.json"
	fi
	if [ "$(jq '.servingUrls.latest | length' "$work/preview.json")" = 0 ]; then
		no_preview "the Theme serves no file until it has an integration"
		return
	fi
	await_edge "$(jq -r '.servingUrls.pinned[0].url' "$work/preview.json")"
	jq -r '"\n**Preview**, served by the rules of the Theme until this request is closed:\n",
		(.servingUrls.latest[] | "- [`\(.file)`](\(.url))")' "$work/preview.json" >>"$work/comment.md"
	if [ -n "${GITHUB_OUTPUT:-}" ]; then
		jq -r '"preview-url=\(.servingUrls.latest[0].url // "")"' "$work/preview.json" >>"$GITHUB_OUTPUT"
	fi
}

# await_edge waits until an edge answers for the address: with it, or that this machine may not have it by the rules of the
# Theme. After 10 s it goes on, because the job need not reach an edge.
await_edge() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		case $(curl -s -m 1 -o /dev/null -w '%{http_code}' "$1") in
		200 | 403) return ;;
		esac
		sleep 1
	done
}

# close drops the preview of the pull request, and on GitHub, which does not begin a job for each request that is closed,
# those for the same place whose requests are not open.
close() {
	if [ -z "${LIVERY_PREVIEW_ENV:-}" ]; then return; fi
	closed=$(pull_number)
	prefix=$(preview_prefix)
	LIVERY_ENV=$LIVERY_PREVIEW_ENV livery theme list --json >"$work/previews.json"
	if [ -n "${GITHUB_TOKEN:-}" ]; then open_pulls; fi
	jq -r --arg prefix "$prefix" '.[].slug | select(startswith($prefix)) | .[($prefix | length):] | select(test("^[0-9]+$"))' \
		"$work/previews.json" >"$work/numbers"
	while read -r number; do
		if [ "$number" = "$closed" ] || { [ -f "$work/open" ] && ! grep -qx "$number" "$work/open"; }; then
			quoted livery theme delete "$prefix$number" --env "$LIVERY_PREVIEW_ENV" --yes </dev/null
		fi
	done <"$work/numbers"
}

# open_pulls writes the numbers of the open pull requests into a file. It comes after the list of previews, so that it has
# each request that made one of them.
open_pulls() {
	secret="Authorization: Bearer $GITHUB_TOKEN"
	page=0
	while :; do
		page=$((page + 1))
		ask "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/pulls?state=open&per_page=100&page=$page" >"$work/pulls.json"
		if [ "$(jq length "$work/pulls.json")" = 0 ]; then break; fi
		jq -r '.[].number' "$work/pulls.json" >>"$work/found"
	done
	touch "$work/found"
	mv "$work/found" "$work/open"
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
