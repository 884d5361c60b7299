# make test does all that a change must pass, on two cores from an empty build cache. What takes longer is in make soak, for a release.
GO ?= go
# How long each fuzz target is given by make fuzz, each soak test by make soak, and a package at most: a slow machine is no failure.
FUZZTIME ?= 1m
SOAKTIME ?= 10m
TIMEOUT ?= 30m

# Much of what a build from an empty cache takes is the compiler's own garbage collection, and debug information that nobody reads.
# Neither changes the code that is tested. Only the tools run so (-toolexec), not the tests; tests that build programs inherit it. Nor is
# everything compiled a second time, by the command's profile, for the tests of the command.
AS_USERS := $(shell $(GO) env GOFLAGS)
export GOFLAGS := $(AS_USERS) -pgo=off '-toolexec=env GOGC=off GOMEMLIMIT=1GiB' -gcflags=all=-dwarf=false -ldflags=-w

# The largest libraries of others, and of Go itself, take as long to optimise as to compile, and the tests make them do next to nothing. What is ours is
# compiled as it is for everybody, and so is what calculates or draws.
PLAIN = github.com/nats-io github.com/parquet-go github.com/prometheus github.com/andybalholm github.com/klauspost \
	github.com/go-json-experiment github.com/chromedp google.golang.org github.com/google github.com/rogpeppe github.com/spf13 \
	github.com/vbauerster golang.org/x/sys codeberg.org/go-pdf go net crypto/tls encoding/gob text debug
GOFLAGS += $(foreach p,$(PLAIN),'-gcflags=$(p)/...=-dwarf=false -N -l')

# What is measured is built as users build it.
bench pgo: export GOFLAGS := $(AS_USERS)

.DEFAULT_GOAL := test
.PHONY: help test browser pictures format vet staticcheck lint tidy unit race test32 arm64 soak fuzz bench cover pgo

help: ## print this
	@sed -n 's/^\([a-z0-9]*\):.*## /\1	/p' $(MAKEFILE_LIST) | expand -t 13

# The race detector's tests leave half the machine idle, and are run beside the others.
test: browser format tidy ## all that a change must pass
	@$(MAKE) --no-print-directory -j2 race unit

# The tests of the page open it in a browser. Where there is none it is installed, if apt-get can; otherwise those tests fail and say so.
BROWSERS = chromium-headless-shell headless-shell chromium chromium-browser google-chrome

browser: ## a browser for the tests of the page, installed if there is none
	@for b in $(BROWSERS); do if command -v $$b >/dev/null; then exit 0; fi; done; \
	if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then apt-get update -q && apt-get install -qy --no-install-recommends chromium-headless-shell; \
	else echo "there is no browser for the tests of the page: install the Debian package chromium-headless-shell"; fi

# What docs/guide/page.md shows: pages at three sizes in both schemes, taken by the tests that look at them; the fit is a real one.
SHOWN := $(or $(TMPDIR),/tmp)/almanac-pictures

pictures: browser ## take the pictures of the page in docs anew
	rm -rf $(SHOWN) && mkdir -p $(SHOWN)
	$(GO) run ./cmd/almanac fit examples/outbreak.yaml --budget 4000 --seed 1 --out $(SHOWN)/outbreak >/dev/null
	$(GO) test ./page -run 'ThreeSizes|Studies|HubInA|PapersIn|QueuesIn' -pictures $(CURDIR)/docs/pictures -fitted $(SHOWN)/outbreak

format: ## gofmt has nothing to say
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); \
	if [ -n "$$unformatted" ]; then echo "not formatted (run gofmt -w): $$unformatted"; exit 1; fi

# Where the program is to run. Tests are vetted too, so that they compile everywhere.
PLATFORMS = linux/amd64 linux/arm64 linux/386 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

# These two look at every package that ours stand on as well, a NATS server among them, which takes as long as many tests: parts of lint,
# and not of test.
vet: ## go vet, of everything, for every platform in PLATFORMS
	@set -e; for p in $(PLATFORMS); do echo "go vet for $$p"; GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) vet ./...; done

staticcheck: ## staticcheck, of everything
	GOGC=400 $(GO) tool staticcheck ./...

lint: format tidy vet staticcheck ## what is to be clean before a commit

tidy: ## go.mod names what is used
	$(GO) mod tidy -diff

# Every test, without the race detector, which takes six to thirty times as long. Those that take longest begin first, so that none is
# left alone at the end, and before all others those that wait, for a browser or a process; and two packages, and two tests of one, more at once
# than there are cores, since some wait. What tests leave behind is collected less often
# than by default (GOGC), which takes a tenth of their time; make soak collects it as often as a program does.
MORE = $$(($$(getconf _NPROCESSORS_ONLN) + 2))
FIRST = ./page ./cmd/almanac ./ensemble ./examples ./spray ./relaxed ./population ./population/internal/engine ./fit ./reproduce/li ./sim ./calendar ./capped ./dispatch

unit: ## every test
	GOGC=400 $(GO) test -p $(MORE) -parallel $(MORE) -vet=off -timeout $(TIMEOUT) $(FIRST) ./...

# The race detector is for where goroutines meet: in spray and relaxed everywhere, but for long tests of one goroutine and those of memory, and
# elsewhere in the tests whose names say so. What takes long to build once more, as a NATS server or net/http does, is not among them; make
# soak has it. Tests of capped that need gonum are of one goroutine, and have the build tag !race.
ALONE = Reach|AllocatesNothing|Memory|AreUnlinked|Starve|AgainstDiary|AgainstSlice|HintsAreUsedAgain|IsConstant|OfTooMany|QueueExact|RankError|MovesFewTimes|Fuzz
SOME = ./dispatch
NAMES = Caller|Workers|Interrupt|Clos|AtOnce|Concurrent|Parallel|Shared|Agree

race: ## the tests in which goroutines meet, with the race detector
	$(GO) test -race -vet=off -timeout $(TIMEOUT) -skip '$(ALONE)' ./spray ./relaxed ./internal/epoch ./internal/backlog
	$(GO) test -race -vet=off -timeout $(TIMEOUT) -run '$(NAMES)' $(SOME)

# What must be right where an int has 32 bits: the packages that other programs import. make test only checks that all packages compile
# (internal/importrules), since to build the standard library for a second architecture takes as long as many tests.
SMALL = ./calendar ./spray ./relaxed ./capped ./capped/internal/counts ./dispatch ./sim ./population/... ./ensemble ./experiment ./internal/cappedmath ./internal/memory ./internal/random ./internal/detmath

test32: ## the tests of the packages that other programs import, with 32 bits; amd64 runs them
	GOARCH=386 $(GO) test -vet=off -timeout $(TIMEOUT) $(SMALL)

EMULATOR = qemu-aarch64-static

arm64: ## every test for arm64, in an emulator: half an hour or more
	@command -v $(EMULATOR) >/dev/null || { echo "$(EMULATOR) is missing: install the Debian package qemu-user-static"; exit 1; }
	GOARCH=arm64 EMULATOR=$(EMULATOR) $(GO) test -vet=off -timeout 3h -exec $(EMULATOR) ./...

soak: lint test test32 fuzz ## all of test, and what takes hours: every test with the race detector, random runs, fuzzing
	$(GO) test -race -vet=off -timeout 6h ./...
	$(GO) vet -tags soak ./...
	$(GO) test -tags soak -vet=off -timeout 6h $$($(GO) list ./... | grep -v -e /spray$$ -e /relaxed$$)
	$(GO) test -tags soak -vet=off -timeout 6h -run Soak ./spray ./relaxed -soak $(SOAKTIME)
	$(GO) test -race -tags soak -vet=off -timeout 6h -run Soak ./spray ./relaxed -soak $(SOAKTIME)
	$(GO) test -race -tags soak -vet=off -timeout 6h -skip Soak ./spray ./relaxed

# A fuzz target is found by its name; go test takes one at a time.
fuzz: ## look for inputs that fail, FUZZTIME for each target; their seeds are part of every test
	@set -e; for file in $$(grep -rl --include='*_test.go' '^func Fuzz' .); do \
		for target in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' $$file); do \
			echo "fuzz $$(dirname $$file) $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$(dirname $$file); \
		done; \
	done

bench: ## the structures side by side on this machine
	$(GO) run ./cmd/almanac-bench calendar

cover: ## how much of the code the tests reach
	$(GO) test -coverprofile=cover.out ./... && $(GO) tool cover -func=cover.out | tail -1

# go build and go install compile the command by cmd/almanac/default.pgo, which says where real runs spend their time: the paper's model, an
# epidemic that stays in the cache, and one with groups, seasons and interventions. -proto drops what is not needed of it. The benchmarks are
# compiled by the same profile, so that they measure the code that users run.
PROFILES := $(or $(TMPDIR),/tmp)/almanac-pgo

pgo: ## profile real runs, for the compiler
	mkdir -p $(PROFILES)
	$(GO) build -o $(PROFILES)/almanac ./cmd/almanac
	$(PROFILES)/almanac run examples/tuberculosis.yaml --size 6_000_000 --profile $(PROFILES)/tuberculosis >/dev/null
	$(PROFILES)/almanac run examples/sir.yaml --replicas 40 --workers 1 --profile $(PROFILES)/sir >/dev/null
	$(PROFILES)/almanac run examples/covid.yaml --replicas 10 --workers 1 --profile $(PROFILES)/covid >/dev/null
	$(GO) tool pprof -proto -output=cmd/almanac/default.pgo $(PROFILES)/*/cpu.pprof
	cp cmd/almanac/default.pgo cmd/almanac-bench/default.pgo
