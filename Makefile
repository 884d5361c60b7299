# make test is what every change must pass. make soak takes hours and is for a release.
# make help lists every target.
GO ?= go
# The time for each fuzz target (make fuzz), for each soak test (make soak), and the limit for the
# tests of one package.
FUZZTIME ?= 1m
SOAKTIME ?= 10m
TIMEOUT ?= 30m

.DEFAULT_GOAL := test
.PHONY: help test format tidy vet unit race modules compiler browser bindings interpreters wasm lint staticcheck \
	soak fuzz test32 arm64 cover bench release papers pictures pgo

help: ## list the targets
	@sed -n 's/^\([a-z0-9]*\):.*## /\1	/p' $(MAKEFILE_LIST) | expand -t 13

# go vet, the tests that wait, and those of Python and R leave part of the machine idle: the race
# detector's packages are compiled and tested beside them. The modules within this one are tested by
# make modules, which is in make soak.
test: compiler browser format tidy ## what every change must pass
	@$(MAKE) --no-print-directory -j3 race unit bindings

format: ## check that gofmt changes nothing
	@files=$$(gofmt -l $$(git ls-files '*.go')); \
	if [ -n "$$files" ]; then echo "run gofmt -w on:" $$files; exit 1; fi

tidy: ## check that go.mod is tidy
	$(GO) mod tidy -diff

# The compiler, the linker and the tests are faster if they collect garbage less often. go vet compiles
# everything but tests, two packages at a time: with 1600 in 0.91 of the time that it takes with 400.
unit race: export GOGC = 400
vet: export GOGC = 1600
vet: export GOMEMLIMIT = 2GiB
# The command is released without cgo, and so it is tested.
unit vet: export CGO_ENABLED = 0

# Without -pgo=off, Go compiles every dependency of the command twice: with its profile and without.
vet: ## go vet
	$(GO) vet -pgo=off ./...

# Some tests wait, for a browser or another process: more packages at once than there are cores. What
# go vet has compiled is not compiled again.
unit: vet ## go vet, and every test
	$(GO) test -p 4 -pgo=off -timeout $(TIMEOUT) ./...

# The packages in which goroutines meet. Tests of one goroutine have the build tag !race there.
# internal/eventqueue is tested by the engine, which fills it from all cores. population, ensemble, page and the
# commands take long, and need a NATS server and a browser driver compiled once more: they are in
# make race RACE=./..., which is part of make soak.
RACE = ./calendar/timers ./spray ./relaxed ./dispatch ./dispatch/dispatchhttp ./sim/replicate \
	./population/internal/engine ./internal/backlog ./internal/epoch

race: ## the packages in which goroutines meet, with the race detector
	$(GO) test -race -pgo=off -timeout $(TIMEOUT) $(RACE)

# Go modules within this one, so that others do not download their dependencies. Caddy takes minutes
# to compile the first time. FLAGS=-race runs the long tests.
MODULES = dispatch/dispatchgrpc dispatch/caddy
FLAGS = -short -race

modules: export GOGC = 400
modules: compiler ## the modules within this one: go.mod, go vet, tests with the race detector
	@set -e; for m in $(MODULES); do echo "module $$m"; \
		(cd $$m && $(GO) mod tidy -diff && $(GO) vet $(filter -race,$(FLAGS)) ./... && \
			$(GO) test $(FLAGS) -timeout $(TIMEOUT) ./...); done

# The race detector needs a C compiler, except on macOS. Without one, make race fails.
compiler: ## find a C compiler for the race detector, or install one (Debian, as root)
	@if [ "$$($(GO) env GOOS)" = darwin ] || command -v $$($(GO) env CC) >/dev/null; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "there is no C compiler for the race detector: installing gcc"; \
		apt-get update -q && apt-get install -qy --no-install-recommends gcc libc6-dev; \
	else \
		echo "there is no C compiler for the race detector: install gcc (Debian: gcc libc6-dev)"; \
	fi

# The tests of the page need a browser. They fail, and say why, if there is none.
BROWSERS = chromium-headless-shell headless-shell chromium chromium-browser google-chrome

browser: ## find a browser for the tests of the page, or install one (Debian, as root)
	@for b in $(BROWSERS); do \
		if command -v $$b >/dev/null; then echo "browser for the tests of the page: $$b"; exit 0; fi; \
	done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "there is no browser for the tests of the page: installing chromium-headless-shell"; \
		apt-get update -q && apt-get install -qy --no-install-recommends chromium-headless-shell; \
	else \
		echo "there is no browser for the tests of the page: install the Debian package chromium-headless-shell"; \
	fi

bindings: ## the packages for Python and R, with what is installed here; it says what it left out
	@GO="$(GO)" .ci/bindings

# What make bindings tests with, on Debian. make soak installs both packages, too.
INTERPRETERS = python3-pandas python3-pip python3-setuptools python3-wheel r-base-core \
	r-cran-jsonlite r-cran-knitr r-cran-rmarkdown

interpreters: ## install Python with pandas, and R (Debian, as root)
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -q && apt-get install -qy --no-install-recommends $(INTERPRETERS); \
	else \
		echo "Python and R are left as they are: install the Debian packages $(INTERPRETERS)"; \
	fi

# make wasm MODEL=my.yaml: tested in a browser by make soak.
MODEL = examples/sir.yaml

wasm: ## one HTML file in dist with MODEL in it, which runs where it is opened
	mkdir -p dist
	$(GO) run -pgo=off ./cmd/almanac-wasm --out dist "$(MODEL)"

# Each system and each processor once: no file is for a pair of them. make release builds every pair.
PLATFORMS = linux/amd64 linux/386 darwin/arm64 windows/amd64

lint: format tidy staticcheck ## format, go.mod, staticcheck, fused instructions, and go vet for each system and processor
	@set -e; for p in $(PLATFORMS); do echo "go vet for $$p"; \
		GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) vet -pgo=off ./...; done
	GOOS=js GOARCH=wasm $(GO) vet -pgo=off ./cmd/almanac-wasm
	$(GO) test -tags soak -run Fus ./internal/importrules

staticcheck: ## staticcheck
	$(GO) tool staticcheck ./...

# Its tests contain those of make test. study takes longest, on one core for much of it: it comes first,
# and the others beside it.
soak: interpreters compiler browser lint test32 fuzz ## for hours: everything with the race detector, long tests, fuzzing
	GO="$(GO)" .ci/bindings --install
	$(MAKE) modules FLAGS=-race
	$(MAKE) race RACE=./... TIMEOUT=6h
	$(GO) vet -pgo=off -tags soak ./...
	$(GO) test -pgo=off -tags soak -timeout 6h ./study ./...
	$(GO) test -tags soak -timeout 6h -run 'Soak$$' ./spray ./relaxed -soak $(SOAKTIME)
	$(GO) test -race -tags soak -timeout 6h -run 'Soak$$' ./spray ./relaxed -soak $(SOAKTIME)

fuzz: ## search for failing inputs, FUZZTIME for each target
	@GO="$(GO)" FUZZTIME=$(FUZZTIME) .ci/fuzz

# The libraries, and what they stand on, where an int has 32 bits. An amd64 machine runs these.
SMALL = ./calendar ./calendar/timers ./spray ./relaxed ./capped ./capped/internal/counts ./dispatch ./sim \
	./population/... ./ensemble \
	./experiment ./internal/eventqueue ./internal/cappedmath ./internal/memory ./internal/random ./internal/detmath

test32: ## the tests of the libraries with 32 bits
	GOARCH=386 $(GO) test -timeout $(TIMEOUT) $(SMALL)

EMULATOR = qemu-aarch64-static

arm64: ## every test for arm64, in an emulator (Debian's qemu-user-static): half an hour or more
	GOARCH=arm64 EMULATOR=$(EMULATOR) $(GO) test -pgo=off -timeout 3h -exec $(EMULATOR) ./...

cover: ## the share of the code that the tests reach
	$(GO) test -pgo=off -timeout $(TIMEOUT) -coverprofile=cover.out ./...
	$(GO) tool cover -func=cover.out | tail -1

bench: ## compare the pending-event sets on this machine
	$(GO) run ./cmd/almanac-bench calendar

release: ## archives of the command for every platform, with checksums, in dist; each module, used from outside
	.ci/release
	.ci/consumers

# The record of a run at the default size, and the page and pictures that are made from it.
PAPERS := $(or $(TMPDIR),/tmp)/almanac-papers

papers: ## check all claims of the papers, and make docs/papers.md anew
	rm -rf $(PAPERS) && mkdir -p $(PAPERS)
	$(GO) build -buildvcs=true -o $(PAPERS)/almanac ./cmd/almanac
	cd $(PAPERS) && ./almanac reproduce --out report
	$(GO) test ./reproduce/papers -run 'TestPage$$' -update $(PAPERS)/report

# The pictures of docs/guide/page.md: taken by the tests of the page, of a real fit.
SHOWN := $(or $(TMPDIR),/tmp)/almanac-pictures

pictures: browser ## take the pictures of the page for the guide
	rm -rf $(SHOWN) && mkdir -p $(SHOWN)
	$(GO) run ./cmd/almanac fit examples/outbreak.yaml --budget 4000 --seed 1 --out $(SHOWN)/outbreak >/dev/null
	$(GO) test ./page -run 'ThreeSizes|Studies|HubInA|PapersIn|QueuesIn' \
		-pictures $(CURDIR)/docs/pictures -fitted $(SHOWN)/outbreak

# go build compiles the command by cmd/almanac/default.pgo, a profile of three real runs. The
# benchmarks use the same profile, so that they measure the code that users run.
PROFILES := $(or $(TMPDIR),/tmp)/almanac-pgo

pgo: ## profile real runs for the compiler
	mkdir -p $(PROFILES)
	$(GO) build -o $(PROFILES)/almanac ./cmd/almanac
	$(PROFILES)/almanac run examples/tuberculosis.yaml --size 24_000_000 --profile $(PROFILES)/tuberculosis >/dev/null
	$(PROFILES)/almanac run examples/tuberculosis.yaml --replicas 30 --workers 1 --profile $(PROFILES)/serial >/dev/null
	$(PROFILES)/almanac run examples/sir.yaml --replicas 100 --workers 1 --profile $(PROFILES)/sir >/dev/null
	$(PROFILES)/almanac run examples/covid.yaml --replicas 30 --workers 1 --profile $(PROFILES)/covid >/dev/null
	$(GO) tool pprof -proto -output=cmd/almanac/default.pgo $(PROFILES)/*/cpu.pprof
	cp cmd/almanac/default.pgo cmd/almanac-bench/default.pgo
