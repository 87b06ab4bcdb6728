# The renderer module is built into the tree before anything that embeds it.
GUEST := wasm/module/renderer.wasm.gz
GUEST_SOURCES := $(shell find renderer wasm/abi wasm/guest -name '*.go' -not -name '*_test.go') go.mod
TOOL := go tool -modfile=$(CURDIR)/deploy/tools.mod

# What is tested and measured is what the image and the releases carry: no C, one static binary. The race detector alone
# needs C.
export CGO_ENABLED = 0
# Every command compiles each package in one way, so that tests and checks take what the build has compiled.
export GOFLAGS := $(GOFLAGS) -trimpath -buildvcs=false
# The compiler takes a quarter less of the processor if it collects no garbage up to a gigabyte. Only the go command's
# tools run so.
COMPILE = -toolexec 'env GOGC=off GOMEMLIMIT=1GiB'
# go.mod names the toolchain with the newest fixes; a machine that cannot fetch it builds with what it has.
ifeq ($(shell go version 2>/dev/null),)
export GOTOOLCHAIN = local
endif

.PHONY: help build dev test check bench console site release clean suite wasm toolchain console-bundle FORCE

help: ## List these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: wasm ## Build bin/livery
	go build $(COMPILE) -ldflags='-s -w' -o bin/livery .

dev: build ## Build, and run an origin and an edge with a sample Theme
	./bin/livery dev

# Tests that wait, for a timeout of an edge or a lock of a store, wait beside each other, and so do packages: one more of
# them than the machine has processors.
PARALLEL = -parallel 4 -p $$(($$(getconf _NPROCESSORS_ONLN) + 1))
# The packages that take longest begin first: go test begins with what is named first, and runs what is named twice once.
LONGEST = ./edge ./wasm ./tests/stories ./storage/pebble ./deploy/action ./renderer ./origin
# Tests' programs have no DWARF: the linker takes a third of its time without it.
LINK = -ldflags=-w
# A test whose name ends with _Long compiles a whole tool, module or release, or waits for long. It skips itself under -short,
# with which make test runs; make check runs it.
LONG = $$(grep -rlE --include='*_test.go' '^func Test\w+_Long\(' --exclude-dir=bench . | xargs -n1 dirname | sort -u)
# The race detector sees the packages that start goroutines, in their code or their tests. In renderer, whose large documents
# would take it minutes, it sees the tests whose names end with _Concurrent.
RACED = $$(grep -rlE --include='*.go' '^\s*go [a-zA-Z_.]+[({]|\.Go\(' cli client edge httpd internal origin storage tests/stories wasm | xargs -n1 dirname | sort -u | sed 's|^|./|')

# $(call gotest,packages,flags,environment,folder) tests packages of the module in a folder. It runs a failed test again
# alone, up to twice; a test that passes then is printed as flaky and fails nothing. On a busy machine a package may take
# longer than the 10 minutes that go test gives it.
define gotest
@mkdir -p bin && rm -f bin/reruns
@$(if $(4),cd $(4) &&) $(3) $(TOOL) gotestsum --format pkgname --rerun-fails=2 --rerun-fails-abort-on-data-race --rerun-fails-report $(CURDIR)/bin/reruns --packages "$(1)" -- $(COMPILE) -vet=off -timeout 30m $(2); code=$$?; \
if [ -f $(CURDIR)/bin/reruns ]; then awk -F '[:,]? ' '/ runs, / && $$2 != $$4 { print "FLAKY: " $$0 }' $(CURDIR)/bin/reruns; fi; exit $$code
endef

test: build ## Build, then run the tests. make check adds the long ones
	$(call gotest,$(LONGEST) $$(go list ./...),-short $(LINK) $(PARALLEL))

check: build ## Check formatting, vet and staticcheck; run the long tests, those of bench, and the race detector
	@unformatted="$$($(TOOL) gofumpt -l .)"; test -z "$$unformatted" || { echo "gofumpt would change:"; echo "$$unformatted"; exit 1; }
	go vet ./...
	go vet -tags noconsole ./console ./cli/... .
	GOOS=wasip1 GOARCH=wasm go vet ./wasm/guest
	go vet -tags browser,examples,clients ./console ./docs/examples ./tests/browser ./wasm/js
	$(TOOL) staticcheck ./...
	cd bench && go vet ./... && $(TOOL) staticcheck ./...
	GOOS=windows go vet ./... # the system that differs most; a release builds all
	cd deploy/release && go vet -tags released ./... && go test -vet=off ./...
	$(call gotest,$(LONG),$(LINK) $(PARALLEL) -run '_Long$$')
	$(call gotest,./...,$(LINK) $(PARALLEL),,bench)
	@if command -v "$${LIVERY_CHROMIUM:-chromium}" > /dev/null; then \
	$(TOOL) gotestsum --format pkgname --rerun-fails=2 --packages ./console -- $(COMPILE) -vet=off -tags browser -count 1 -run Road; \
	else echo "NOT PROVEN: the console in a browser: no Chromium is on the path, and LIVERY_CHROMIUM names none"; fi
	@if command -v "$$(go env CC)" > /dev/null; then $(MAKE) --no-print-directory suite NAME=race; else echo "no C compiler: the race detector is left out"; fi

suite: ## Run one more suite: make suite NAME=race. Without NAME, list them
	@$(if $(NAME),$(MAKE) --no-print-directory suite-$(NAME),awk -F ':.*## ' '/^suite-/ { printf "  make suite NAME=%-13s %s\n", substr($$1, 7), $$2 }' $(MAKEFILE_LIST))

suite-race: build bin/race/livery ## Tests under the race detector (needs a C compiler)
	$(call gotest,$(RACED),-race -short,CGO_ENABLED=1)
	CGO_ENABLED=1 go test $(COMPILE) -race -vet=off -run '_Concurrent$$' ./renderer/...

bin/race/livery: wasm FORCE
	CGO_ENABLED=1 go build $(COMPILE) -race -o $@ .

# What measures is a module of its own.
bin/bench: wasm FORCE
	go build -C bench $(COMPILE) -o ../$@ .

bench: build bin/bench ## Measure Livery beside other servers into bench/report (QUICK=1: minutes; PARTS=edge,render: some)
	bin/bench report $(if $(QUICK),-quick) $(if $(PARTS),-parts $(PARTS))

CONSOLE_NODE = console/node_modules/.package-lock.json
$(CONSOLE_NODE): console/package-lock.json
	cd console && npm ci
	touch $@

console-bundle: $(CONSOLE_NODE)
	go run ./console/theme cli/serve/sample/tidewater.tokens.json cli/serve/sample/midnight.variant.json console/src/theme.css
	cd console && npm run --silent check && npm run --silent bundle

console: console-bundle ## Build the console's page into console/dist, which is committed; test it in a Chromium (needs npm)
	cd console && npm run --silent types && npm run --silent test
	$(MAKE) --no-print-directory build
	go test -tags browser -count 1 -timeout 30m ./console

site: build ## Write the documentation as a static site into bin/site
	./bin/livery docs --out bin/site

# npm ci would refuse a registry that lacks the native parts of other platforms.
docs/examples/node_modules docs/examples/apps/node_modules: %/node_modules: %/package-lock.json
	npm install --no-save --prefix $*
	@touch $@

docs/examples/clients/node_modules bench/systems/node_modules: %/node_modules: %/package-lock.json
	npm ci --prefix $*
	@touch $@

# Suites prove more than make check has time or programs for.

suite-browser: build docs/examples/node_modules ## Attack stylesheets and use the examples' pages in a Chromium
	go test -tags browser -count 1 -timeout 30m ./tests/browser ./wasm/js ./docs/examples

suite-examples: build docs/examples/node_modules docs/examples/apps/node_modules ## Build all examples with their real libraries, use them in a Chromium (npm)
	go test -tags browser,examples -count 1 -timeout 30m ./docs/examples

suite-clients: build docs/examples/clients/node_modules ## Lint the OpenAPI document, generate two clients of it and run them (npm)
	go test -vet=off -tags clients -count 1 ./docs/examples

suite-systems: build bench/systems/node_modules ## Push 44 published design systems, beside Style Dictionary and Terrazzo (npm)
	go test -C bench -count 1 -timeout 30m ./systems -args -livery $(CURDIR)/bin/livery -results $(CURDIR)/bench/results/systems.md

FUZZTIME ?= 10m

suite-fuzz: wasm ## Fuzz each target for FUZZTIME (10m); findings stay in testdata/fuzz
	@found=; for package in $$(go list ./...); do \
		targets=$$(go test -list '^Fuzz' $$package) || exit 1; \
		for target in $$(echo "$$targets" | grep '^Fuzz'); do \
			echo "$$package $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$package || found="$$found $$target"; \
		done; \
	done; test -z "$$found" || { echo "found something:$$found"; exit 1; }
	go test -count 1 -timeout 60m $$(grep -rl --include='*_test.go' internal/test/sameseed . | xargs -n1 dirname | sort -u) -rapid.seed=0 -rapid.checks=5000

suite-mutants: ## Plant each known bug in the store, and see the tests find it
	go test -tags mutants -run Mutants -v -timeout 90m ./storage/pebble

suite-faults: ## Fail every operation of the store in turn, cut its power, kill it
	LIVERY_FAULT_POINTS=all LIVERY_CRASH_SEEDS=400 LIVERY_KILL_ROUNDS=1000 go test -run 'FailedOperation|PowerFailure|Killed' -timeout 60m ./storage/pebble
	LIVERY_EVENTS_KILL_ROUNDS=200 go test -run NeitherLosesNorInvents -timeout 30m ./origin/events

suite-crash: build ## Kill the real program 1,000 times while eight writers publish
	go test -C bench -count 1 -timeout 0 -v ./crash -args -- -livery $(CURDIR)/bin/livery -page $(CURDIR)/bench/results/crash.md

suite-postgres: build ## Run the store's tests on a real PostgreSQL
	LIVERY_TEST_POSTGRES=1 go test -timeout 30m ./storage/postgres
	LIVERY_TEST_POSTGRES=1 go test -timeout 30m -run Callers ./origin
	LIVERY_TEST_POSTGRES=1 go test -timeout 30m -run SeveralOrigins ./tests/stories

suite-failovers: ## Kill the primary of three PostgreSQL nodes 20 times
	go test -C bench -count 1 -timeout 0 -v ./failovers -args -- -rounds 20 -page $(CURDIR)/bench/results/failovers.md

SOAK = go test -C bench -count 1 -timeout 0 -v -run TestSoaks ./soak -args --

suite-soak: build ## Soak the origin with 20,000 publishes, and the edge under traffic and publishes, FOR as long (30m)
	$(SOAK) soak-origin -livery $(CURDIR)/bin/livery -count 20000 -page $(CURDIR)/bench/results/soak_origin.md
	$(SOAK) soak -livery $(CURDIR)/bin/livery -for $(or $(FOR),30m) -page $(CURDIR)/bench/results/soak.md

PRESSURE = (Pressure|ShutdownLosesNoRequest|ShutdownUnderLoad)

suite-pressure: wasm ## Press the edge: 10,000 idle connections, slow readers, overload, a cold cache
	LIVERY_PRESSURE=full go test -count 1 -timeout 20m -v -run '$(PRESSURE)|WithoutTheFastPath/$(PRESSURE)' ./edge

suite-slow: build ## Test the edge against feeds that answer slowly, as on a busy machine
	for delay in 20ms 70ms 400ms; do LIVERY_FEED_DELAY=$$delay go test -count 1 -timeout 30m ./edge || exit 1; done

suite-timing: wasm ## Compare the times of what is missing and what is foreign (needs a quiet machine)
	LIVERY_TIMING=1 go test -count 1 -run SameTime -v ./origin

suite-guard: wasm ## Write the baseline of allocations, bytes and instructions anew
	go test -C bench -count 1 -timeout 20m ./guard -args -update

suite-microbench: wasm ## Go benchmarks
	go test -run '^$$' -bench . -benchmem ./...

suite-deploy: wasm ## Check what deploy/ ships, with nginx, caddy, promtool and systemd-analyze where they are installed
	go test -count 1 -v ./deploy
	go run sigs.k8s.io/kubectl-validate@v0.0.4 deploy/kubernetes --version 1.29

# What a page loads of the core: at most 2 KB after gzip.
suite-packages: $(CONSOLE_NODE) ## Pack the npm package @livery/theme into bin/packages, and hold it to its size (npm)
	@mkdir -p bin/packages
	@console/node_modules/.bin/terser client/js/theme.mjs --module --ecma 2022 -c passes=3,unsafe_arrows=true -m -o bin/packages/theme.min.mjs
	@bytes=$$(gzip -9 -c bin/packages/theme.min.mjs | wc -c); echo "@livery/theme: $$bytes bytes after gzip, at most 2048"; test $$bytes -le 2048
	npm pack ./client/js --pack-destination bin/packages

suite-sbom: build ## Write the bill of materials bin/livery.cdx.json
	go run ./deploy/sbom bin/livery > bin/livery.cdx.json

suite-vuln: wasm toolchain ## Look for known vulnerabilities (needs the network, or a copy of the database: VULNDB=file:///DIR)
	@$(TOOL) govulncheck $(if $(VULNDB),-db $(VULNDB)) $(or $(PACKAGES),./...); code=$$?; case $$code in \
	0) ;; \
	3) echo "suite vuln: upgrade what the lines above name." >&2; exit 3 ;; \
	*) echo "suite vuln: NOTHING WAS CHECKED, the line above says why. Run it again on a machine that reaches https://vuln.go.dev," \
		"or with a copy of that database: make suite NAME=vuln VULNDB=file:///DIR" >&2; exit 1 ;; \
	esac

suite-release: wasm ## Build a release twice in two places, compare it, install and run what this machine can (minutes; as root)
	cd deploy/release && LIVERY_COMMIT='$(COMMIT)' LIVERY_EPOCH='$(SOURCE_DATE_EPOCH)' go test -tags released -count 1 -timeout 60m -v .

MODFILE ?= go.mod

# Compare the Go of this machine with the one that go.mod asks for. It needs no network.
toolchain:
	@want=$$(awk '$$1 == "go" { go = "go" $$2 } $$1 == "toolchain" { go = $$2 } END { print go }' $(MODFILE)); have=$$(go env GOVERSION); \
	test "$$(printf '%s\n' "$$want" "$$have" | sort -V | head -n 1)" = "$$want" || { \
	echo "make toolchain: go.mod asks for $$want or newer, and this is $$have, in which faults are known: install it, or set GOTOOLCHAIN=auto" >&2; exit 1; }

# What a release is made of. Sources that are not a clone need COMMIT and SOURCE_DATE_EPOCH.
COMMIT ?= $(shell git rev-parse HEAD 2> /dev/null)
SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2> /dev/null)
RELEASE = go run . -commit '$(COMMIT)' -epoch '$(SOURCE_DATE_EPOCH)'

release: wasm ## Build release VERSION into bin/release/VERSION (BASE_URL: the address that its files will stand under)
	-@$(MAKE) --no-print-directory toolchain
	@test -z "$$(git status --porcelain 2> /dev/null)" || { echo "make release: files differ from the commit that the release would name: commit or remove them" >&2; exit 1; }
	cd deploy/release && $(RELEASE) -version '$(VERSION)' -base-url '$(BASE_URL)' -out $(CURDIR)/bin/release/$(VERSION)

FORCE:

# The renderer module.
wasm: $(GUEST)

# The same sources give the same bytes wherever they are built. The program embeds the module compressed: it is a quarter.
$(GUEST): wasm/renderer.wasm
	gzip -9 -n -c $< > $@

wasm/renderer.wasm: $(GUEST_SOURCES)
	GOOS=wasip1 GOARCH=wasm GOFLAGS= go build $(COMPILE) -buildmode=c-shared -trimpath -buildvcs=false -ldflags='-s -w -buildid=' -o $@ ./wasm/guest

clean: ## Remove what was built
	rm -rf bin wasm/renderer.wasm $(GUEST)
