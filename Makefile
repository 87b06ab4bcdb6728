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

.PHONY: help build dev test race check bench microbench guard browser usable peers management road colors render runtime size fuzz edge systems agreement modes slow live soak mutants faults crash postgres failovers storage growth pressure timing deploy-check sbom vuln toolchain release release-check site packages examples clients wasm clean console console-bundle console-test

help: ## List these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: wasm ## Build bin/livery
	go build $(COMPILE) -ldflags='-s -w' -o bin/livery .

dev: build ## Build, and run an origin and an edge with a sample Theme
	./bin/livery dev

# Tests that wait, for a timeout of an edge or a lock of a store, wait beside each other, and so do packages: one more of
# them than the machine has processors.
PARALLEL = -parallel 4 -p $$(($$(getconf _NPROCESSORS_ONLN) + 1))
# The packages that take longest begin first: go test begins with what is named first, and runs what is named twice once.
LONGEST = ./edge ./tests/stories ./wasm ./renderer ./deploy/action ./storage/pebble ./origin ./wasm/js
TESTED = $$(go list ./...)

# Tests' programs have no DWARF: the linker takes a third of its time without it.
LINK = -ldflags=-w
# These take long: they compile a whole tool, module or release, or the largest document that the API takes, or run the tests
# of an edge once more without its fast path. make check runs them.
LONG = ^(TestWhatWasNotCheckedIsSaid|TestModuleIsReproducible|TestPublishedBytesStay|TestLargestDocumentRenders|TestWithoutTheFastPath)$$

# $(call gotest,packages,flags,environment,folder) tests packages of the module in a folder. It runs a failed test again
# alone, up to twice; a test that passes then is printed as flaky and fails nothing. On a busy machine a package may take longer than the
# 10 minutes that go test gives it.
define gotest
@mkdir -p bin && rm -f bin/reruns
@$(if $(4),cd $(4) &&) $(3) $(TOOL) gotestsum --format pkgname --rerun-fails=2 --rerun-fails-abort-on-data-race --rerun-fails-report $(CURDIR)/bin/reruns --packages "$(1)" -- $(COMPILE) -vet=off -timeout 30m $(2); code=$$?; \
if [ -f $(CURDIR)/bin/reruns ]; then awk -F '[:,]? ' '/ runs, / && $$2 != $$4 { print "FLAKY: " $$0 }' $(CURDIR)/bin/reruns; fi; exit $$code
endef

test: build ## Build the program and run its tests but the longest (make check runs these and those of bench, and vets)
	$(call gotest,$(LONGEST) $(TESTED),$(LINK) $(PARALLEL) -skip '$(LONG)')
	$(call gotest,./guard,$(LINK),,bench)
	@if command -v "$${LIVERY_CHROMIUM:-chromium}" > /dev/null; then \
	$(TOOL) gotestsum --format pkgname --rerun-fails=2 --packages ./console -- $(COMPILE) -vet=off -tags browser -count 1 -run '^TestRoad$$'; \
	else echo "NOT PROVEN: the console in a browser: no Chromium is on the path, and LIVERY_CHROMIUM names none"; fi

# The house's own rules and the corpus, file by file, have nothing to race; the client and the reading of token files start no
# goroutine, nor does the renderer, of which those tests count that use one thing from several.
# What takes long and does one thing at a time, counts what the detector changes, or runs a program without it: make test
# has run it.
ONE_AT_A_TIME = TestAPersonLogsInWithACode TestSecretsAreNowhereAfterAWholeRun TestLargePush TestCorpus \
	TestCompiledCodeStaysWithinItsBudget TestDamagedCodeIsMadeAnewAlone TestLargestDocumentRenders TestDamagedCacheIsCompiledAnew \
	TestModulesThatBreakTheContractAreRefused TestRefusalsNameTheFault TestCodeOfOtherEnginesIsDeletedLater TestModuleIsReproducible TestWASMEqualsNative \
	TestContractOfTheEdge TestEncodingsKeepTheContent TestWhatIsCountedIsWhatIsHeld TestWhatIsCountedIsWhatIsTaken TestPollsAreWeighed TestRecentBlobsTakeLittle TestEncodersAreWeighed TestDeltaSaysTheFile TestCodingsSayWhatTheyWereMadeFrom \
	TestHostileAliasesPublish TestAuthorisationMatrix TestThemesHaveNoLimit TestEachFrameworkAcceptsItsLibraries TestBatchesHaveTheirBounds \
	TestNamesAndLabelsHaveTheirBounds TestRequestsHaveTheirBounds TestForeignAndMissingIDsAreTheSame TestExpiredReplaysGoAFewAtATime \
	TestPowerFailureLosesNothingAcknowledged TestADiskThatFillsUpRefusesWritesAndNothingElse TestAFullFileSystemHangsNobodyAndLosesNothing TestRottenTablesAreCorrupt \
	TestAFullDiskTakesWhatFreesIt TestAStoreThatIsTendedDoesNotGrow TestPruningKeepsTheNewestBackupsWhole \
	TestPublishedBytesStay TestMigrationFollowsTheTheme TestPathsAndMethodsAreExact TestBodiesChangeNothingElse \
	TestEveryPathRefusesOtherMethods TestThereAreNoOtherLevels TestSecretsAreNeverAnswered TestHostileBatchesAreBounded \
	TestQuestionsCarryTheTraceOn TestWrongAnswersAreNotAskedForAgainAtOnce TestNoAllocationAHit TestSlowClientsOfAChange \
	TestAnswersStayWithinTheirMemory TestRequestsAreForgottenBeforeTheirAnswers TestAPageOfALongListReadsWhatItShows TestAStartReadsNoThemes \
	TestTheLastPageCostsWhatTheFirstCosts TestSealedAddressesNeverChange TestParsedCodingsSayTheContent TestMatchesOutliveVersions \
	TestPagesAreWhatAPlainSearchFinds TestAPageReadsWhatChanged
empty :=
space := $(empty) $(empty)

race: build bin/race/livery ## Run the tests of the program itself under the race detector
	$(call gotest,$$(go list ./... | grep -v -E '/livery/(client|deploy|docs|intake|renderer|tests/house|wasm/js)(/|$$)'),-race -skip '^($(subst $(space),|,$(strip $(ONE_AT_A_TIME))))$$',CGO_ENABLED=1)
	CGO_ENABLED=1 go test $(COMPILE) -race -vet=off -run 'Concurrently|ReadsOnly' ./renderer/...

bin/race/livery: wasm FORCE
	CGO_ENABLED=1 go build $(COMPILE) -race -o $@ .

check: build ## Formatting, vet, staticcheck, the house test, and the race detector where there is a C compiler
	@unformatted="$$($(TOOL) gofumpt -l .)"; test -z "$$unformatted" || { echo "gofumpt would change:"; echo "$$unformatted"; exit 1; }
	go vet ./...
	go vet -tags noconsole ./console ./cli/... .
	GOOS=wasip1 GOARCH=wasm go vet ./wasm/guest
	go vet -tags browser,examples,clients ./console ./docs/examples ./wasm/js
	$(TOOL) staticcheck ./...
	cd bench && go vet ./... && go vet -tags browser ./browser && $(TOOL) staticcheck ./...
	GOOS=windows go vet ./... # the system that differs most; a release builds all
	cd deploy/release && go vet -tags released ./... && go test -vet=off ./...
	go test -run TestHouse ./tests/house
	$(call gotest,./deploy ./wasm ./origin ./edge,$(LINK) -run '$(LONG)')
	$(call gotest,./...,$(LINK) $(PARALLEL),,bench)
	@if command -v "$$(go env CC)" > /dev/null; then $(MAKE) --no-print-directory race; else echo "no C compiler: the race detector is left out"; fi

# What measures is a module of its own.
bin/bench: wasm FORCE
	go build -C bench $(COMPILE) -o ../$@ .

bench: build bin/bench bench/peers/node_modules ## Measure Livery beside the field into bench/report (QUICK=1: minutes; PARTS=edge,render: some)
	bin/bench report $(if $(QUICK),-quick) $(if $(PARTS),-parts $(PARTS))

CONSOLE_NODE = console/node_modules/.package-lock.json
$(CONSOLE_NODE): console/package-lock.json
	cd console && npm ci
	touch $@

console-bundle: $(CONSOLE_NODE) ## Build the console's page from console/src into console/dist, which is committed (needs npm)
	go run ./console/theme cli/serve/sample/tidewater.tokens.json cli/serve/sample/midnight.variant.json console/src/theme.css
	cd console && npm run --silent check && npm run --silent bundle

console-test: $(CONSOLE_NODE) ## Test the console's logic that needs no browser (needs npm)
	cd console && npm run --silent types && npm run --silent test

console: console-test build ## Prove the console in a real Chromium (needs one on the PATH, and npm)
	go test -tags browser -count 1 -timeout 30m ./console

microbench: wasm ## Run the Go benchmarks
	go test -run '^$$' -bench . -benchmem ./...

guard: wasm ## Write the baseline of allocations, bytes and instructions anew
	go test -C bench -count 1 -timeout 20m ./guard -args -update

browser: build docs/examples/node_modules ## Attack stylesheets and use pages in a real Chromium (needs one on the PATH)
	go test -C bench -tags browser -count 1 -timeout 30m ./browser
	go test -tags browser -count 1 -timeout 30m ./wasm/js ./docs/examples

FUZZTIME ?= 10m

fuzz: wasm ## Fuzz every target in turn, FUZZTIME each (10m); what is found stays in testdata/fuzz
	@found=; for package in $$(go list ./...); do \
		targets=$$(go test -list '^Fuzz' $$package) || exit 1; \
		for target in $$(echo "$$targets" | grep '^Fuzz'); do \
			echo "$$package $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$package || found="$$found $$target"; \
		done; \
	done; test -z "$$found" || { echo "found something:$$found"; exit 1; }
	go test -count 1 -timeout 60m $$(grep -rl --include='*_test.go' internal/test/sameseed . | xargs -n1 dirname | sort -u) -rapid.seed=0 -rapid.checks=5000

site: build ## Write the documentation as a static site into bin/site
	./bin/livery docs --out bin/site

# What a page loads of the core: at most 2 KB after gzip.
packages: $(CONSOLE_NODE) ## Pack the npm package @livery/theme into bin/packages, and hold it to its size (needs npm)
	@mkdir -p bin/packages
	@console/node_modules/.bin/terser client/js/theme.mjs --module --ecma 2022 -c passes=3,unsafe_arrows=true -m -o bin/packages/theme.min.mjs
	@bytes=$$(gzip -9 -c bin/packages/theme.min.mjs | wc -c); echo "@livery/theme: $$bytes bytes after gzip, at most 2048"; test $$bytes -le 2048
	npm pack ./client/js --pack-destination bin/packages

examples: build docs/examples/node_modules docs/examples/apps/node_modules ## Build all examples with their real libraries, and use them in a real Chromium (installs from npm)
	go test -tags browser,examples -count 1 -timeout 30m ./docs/examples

clients: build docs/examples/clients/node_modules ## Lint the OpenAPI document, generate two clients of it and run them (installs from npm)
	go test -vet=off -tags clients -count 1 -run 'TestGeneratedClients|TestLintersFail' ./docs/examples

docs/examples/clients/node_modules: docs/examples/clients/package-lock.json
	npm ci --prefix $(@D)
	@touch $@

# npm ci would refuse a registry that lacks the native parts of other platforms.
docs/examples/node_modules docs/examples/apps/node_modules: %/node_modules: %/package-lock.json
	npm install --no-save --prefix $*
	@touch $@

bench/%/node_modules: bench/%/package-lock.json
	npm ci --prefix $(@D)
	@touch $@

usable: bench/usable/node_modules ## Put the served files into the real libraries (installs them from npm)
	go test -C bench -count 1 -timeout 20m -run TestFilesWork ./usable -args -results $(CURDIR)/bench/results/usable.md

systems: build bench/systems/node_modules ## Push the published tokens of 44 packages of design systems, beside Style Dictionary and Terrazzo (installs them from npm)
	go test -C bench -count 1 -timeout 30m -run TestSystems ./systems -args -livery $(CURDIR)/bin/livery -results $(CURDIR)/bench/results/systems.md

agreement: bench/peers/node_modules ## Compare the examples of the DTCG specification with Terrazzo, token by token (installs it from npm)
	go test -vet=off -count 1 -v -run TestExamplesAgreeWithTerrazzo ./cli/tokens/source

slow: build ## Run the tests of the edge against feeds that answer slowly, as on a busy machine
	for delay in 20ms 70ms 400ms; do LIVERY_FEED_DELAY=$$delay go test -count 1 -timeout 30m ./edge || exit 1; done

modes: bench/peers/node_modules ## Have css-tree read stylesheets of modes (installs it from npm)
	go test -C bench -count 1 ./modes

edge: build bin/bench ## Measure the edge beside nginx and h2o: plain, TLS, HTTP/2, misses, publishes, idle memory, floods (needs nginx, wrk, h2load, openssl)
	bin/bench edge -page bench/results/edge.md

live: build bin/bench ## Measure 10,000 pages that follow a Theme by event streams: memory, and when the last hears of a publish
	bin/bench live -page bench/results/live.md

SOAK = go test -C bench -count 1 -timeout 0 -v -run TestSoaks ./internal/use -args --

soak: build ## Soak the origin with 20,000 publishes and Themes, and the edge under Zipf traffic and publishes, FOR as long (30m)
	$(SOAK) soak-origin -livery $(CURDIR)/bin/livery -count 20000 -page $(CURDIR)/bench/results/soak_origin.md
	$(SOAK) soak -livery $(CURDIR)/bin/livery -for $(or $(FOR),30m) -page $(CURDIR)/bench/results/soak.md

storage: bin/bench ## Measure the store's commits, on PostgreSQL too where it is installed
	bin/bench storage -points 0 -postgres own -page bench/results/storage.md

growth: bin/bench ## Grow a store to 100,000 Themes, 1,000,000 pairs, BYTES of blobs (10 GiB)
	bin/bench storage -each 0 -bytes $(or $(BYTES),10737418240) -page bench/results/growth.md

mutants: ## Plant each known bug in the store, and see the tests find it
	go test -tags mutants -run TestMutants -v -timeout 90m ./storage/pebble

faults: ## Fail every operation of the store in turn, cut its power, kill it
	LIVERY_FAULT_POINTS=all LIVERY_CRASH_SEEDS=400 LIVERY_KILL_ROUNDS=1000 go test -run 'FailedOperation|PowerFailure|Killed' -timeout 60m ./storage/pebble
	LIVERY_EVENTS_KILL_ROUNDS=200 go test -run NeitherLosesNorInvents -timeout 30m ./origin/events

crash: build ## Kill the real program 1,000 times while eight writers publish
	go test -C bench -count 1 -timeout 0 -v ./crash -args -- -livery $(CURDIR)/bin/livery -page $(CURDIR)/bench/results/crash.md

postgres: build ## Run the store's suite on a real PostgreSQL (needs one installed)
	LIVERY_TEST_POSTGRES=1 go test -timeout 30m ./storage/postgres
	LIVERY_TEST_POSTGRES=1 go test -timeout 30m -run TestCallers ./origin
	LIVERY_TEST_POSTGRES=1 go test -timeout 30m -run TestSeveralOrigins ./tests/stories

failovers: ## Kill the primary of three PostgreSQL nodes 20 times
	go test -C bench -count 1 -timeout 0 -v ./failovers -args -- -rounds 20 -page $(CURDIR)/bench/results/failovers.md

PRESSURE = (Pressure|ShutdownLosesNoRequest|ShutdownUnderLoad)

pressure: wasm ## Press the edge: 10,000 idle connections, slow readers, overload, a cold cache
	LIVERY_PRESSURE=full go test -count 1 -timeout 20m -v -run '$(PRESSURE)|TestWithoutTheFastPath/$(PRESSURE)' ./edge

timing: wasm ## Compare the times of what is missing and what is foreign (needs a quiet machine)
	LIVERY_TIMING=1 go test -count 1 -run SameTime -v ./origin

deploy-check: wasm ## Check what deploy/ ships, with nginx, caddy, promtool and systemd-analyze where they are installed
	go test -count 1 -v ./deploy
	go run sigs.k8s.io/kubectl-validate@v0.0.4 deploy/kubernetes --version 1.29

sbom: build ## Write the bill of materials bin/livery.cdx.json
	go run ./deploy/sbom bin/livery > bin/livery.cdx.json

vuln: wasm toolchain ## Look for known vulnerabilities (needs the network, or a copy of the database: VULNDB=file:///DIR)
	@$(TOOL) govulncheck $(if $(VULNDB),-db $(VULNDB)) $(or $(PACKAGES),./...); code=$$?; case $$code in \
	0) ;; \
	3) echo "make vuln: upgrade what the lines above name." >&2; exit 3 ;; \
	*) echo "make vuln: NOTHING WAS CHECKED, the line above says why. Run it again on a machine that reaches https://vuln.go.dev," \
		"or with a copy of that database: make vuln VULNDB=file:///DIR" >&2; exit 1 ;; \
	esac

MODFILE ?= go.mod

toolchain: ## Compare the Go of this machine with the one that go.mod asks for (needs no network)
	@want=$$(awk '$$1 == "go" { go = "go" $$2 } $$1 == "toolchain" { go = $$2 } END { print go }' $(MODFILE)); have=$$(go env GOVERSION); \
	test "$$(printf '%s\n' "$$want" "$$have" | sort -V | head -n 1)" = "$$want" || { \
	echo "make toolchain: go.mod asks for $$want or newer, and this is $$have, in which faults are known: install it, or set GOTOOLCHAIN=auto" >&2; exit 1; }

colors: bench/color/node_modules ## Compare colours with colorjs.io and culori (installs them from npm)
	go test -C bench -count 1 ./color -args -results $(CURDIR)/bench/results/colors.md

render: bin/bench ## Measure the renderer natively, by tokens, overrides and file
	bin/bench render -page bench/results/render.md

runtime: bin/bench ## Measure the WebAssembly runtime beside the native renderer
	bin/bench runtime -page bench/results/runtime.md

size: bin/bench ## Weigh the renderer module
	bin/bench runtime -only size

peers: bench/peers/node_modules bin/bench ## Measure the renderer beside Style Dictionary and Terrazzo (installs them from npm)
	bin/bench peers -page bench/results/peers.md

management: bin/bench ## Measure the management side: edits, publishes, lists, writers
	bin/bench management -page bench/results/management.md

road: build bin/bench ## Measure the road from a push to a served file
	bin/bench road -page bench/results/road.md

# What a release is made of. Sources that are not a clone need COMMIT and SOURCE_DATE_EPOCH.
COMMIT ?= $(shell git rev-parse HEAD 2> /dev/null)
SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2> /dev/null)
RELEASE = go run . -commit '$(COMMIT)' -epoch '$(SOURCE_DATE_EPOCH)'

release: wasm ## Build release VERSION into bin/release/VERSION (BASE_URL: the address that its files will stand under)
	-@$(MAKE) --no-print-directory toolchain
	@test -z "$$(git status --porcelain 2> /dev/null)" || { echo "make release: files differ from the commit that the release would name: commit or remove them" >&2; exit 1; }
	cd deploy/release && $(RELEASE) -version '$(VERSION)' -base-url '$(BASE_URL)' -out $(CURDIR)/bin/release/$(VERSION)

release-check: wasm ## Build a release twice in two places, compare it, install and run what this machine can (minutes; as root)
	cd deploy/release && LIVERY_COMMIT='$(COMMIT)' LIVERY_EPOCH='$(SOURCE_DATE_EPOCH)' go test -tags released -count 1 -timeout 60m -v .

FORCE:

wasm: $(GUEST) ## Build the renderer module

# The same sources give the same bytes wherever they are built. The program embeds the module compressed: it is a quarter.
$(GUEST): wasm/renderer.wasm
	gzip -9 -n -c $< > $@

wasm/renderer.wasm: $(GUEST_SOURCES)
	GOOS=wasip1 GOARCH=wasm GOFLAGS= go build $(COMPILE) -buildmode=c-shared -trimpath -buildvcs=false -ldflags='-s -w -buildid=' -o $@ ./wasm/guest

clean: ## Remove what was built
	rm -rf bin wasm/renderer.wasm $(GUEST)
