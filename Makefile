# make test does all that a change must pass. FUZZTIME is what each fuzz target gets.
FUZZTIME ?= 3s
GO ?= go

.PHONY: test format vet staticcheck tidy unit fuzz bench cover

test: format vet staticcheck tidy fuzz unit

format:
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); \
	if [ -n "$$unformatted" ]; then echo "not formatted (run gofmt -w): $$unformatted"; exit 1; fi

vet:
	$(GO) vet ./...

staticcheck:
	$(GO) tool staticcheck ./...

tidy:
	$(GO) mod tidy -diff

# Packages in which nothing is concurrent are tested without the race detector, which takes six times as long.
ALONE = ./capped ./reproduce ./internal/portable ./internal/random
# With the race detector some tests of these are shorter, or left out where nothing is concurrent, since they take thirty times as long.
AGAIN = ./sim ./spray

unit:
	$(GO) test -race $$($(GO) list ./... | grep -vxF "$$($(GO) list $(ALONE))")
	$(GO) test $(ALONE) $(AGAIN)

# A fuzz target is found by its name; go test takes one at a time.
fuzz:
	@set -e; for file in $$(grep -rl --include='*_test.go' '^func Fuzz' .); do \
		for target in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' $$file); do \
			echo "fuzz $$(dirname $$file) $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$(dirname $$file); \
		done; \
	done

bench:
	$(GO) run ./cmd/almanac bench

cover:
	$(GO) test -coverprofile=cover.out ./... && $(GO) tool cover -func=cover.out | tail -1
