# Every target works from a clean clone with Go 1.26 and, for race, gcc.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

BIN   := bin/pulumi
CACHE := .cache
# The linter's name holds its checksums, so a new pin builds a new one and an old one is never used.
LINT  := $(CACHE)/golangci-lint-$(shell cat tools/go.mod tools/go.sum | sha256sum | cut -c1-12)
# Modules below the root one: tools, and peers that tests and benchmarks need.
NESTED := $(patsubst %/go.mod,%,$(shell find . -mindepth 2 -name go.mod -not -path '*/testdata/*' -not -path './$(CACHE)/*'))

# Chaos: how often to kill; a seed of 0 means a new one, which is printed.
KILLS ?= 500
SEED  ?= 0
PROVE_FOR ?= 10m
RACE  ?= ./...

.PHONY: help build up walkthrough test race lint size chaos prove bench clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' Makefile

build: ## bin/pulumi, one static binary
	CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags '-s -w' -o $(BIN) ./cmd/pulumi

up: build ## build, then deploy examples/quickstart into a backend in its folder
	./tools/quickstart.sh $(CURDIR)/$(BIN) $(CURDIR)/examples/quickstart

walkthrough: build ## every command of docs/get-started.md in a home of its own, with the wall time
	./tools/walkthrough.sh $(BIN)

test: ## vet and test every module
	go vet ./...
	go test ./...
	for m in $(NESTED); do (cd $$m && go vet ./... && go test ./...); done

race: ## the tests under the race detector (needs gcc); RACE selects packages
	CGO_ENABLED=1 go test -race -timeout 40m $(RACE)

lint: $(LINT) ## golangci-lint and gofmt, zero findings
	@unformatted=$$(gofmt -l $$(find . -name '*.go' -not -path './$(CACHE)/*' -not -path '*/testdata/*')); \
	  if [ -n "$$unformatted" ]; then echo "not gofmt'ed (run gofmt -w on them):" >&2; echo "$$unformatted" >&2; exit 1; fi
	$(LINT) run ./...
	for m in $(NESTED); do (cd $$m && $(CURDIR)/$(LINT) run ./...); done

$(LINT):
	@echo "building golangci-lint once, into $(CACHE)/"
	mkdir -p $(CACHE)
	cd tools && CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags '-s -w' -o ../$(LINT) \
	  github.com/golangci/golangci-lint/v2/cmd/golangci-lint

size: ## print long files and functions; fail on those past the limit
	cd tools && go run ./size ..

chaos: ## kill up, refresh and destroy KILLS times at random instants (SEED repeats a run)
	CHAOS_KILLS=$(KILLS) CHAOS_SEED=$(SEED) go test ./test/chaos -run Chaos -count=1 -v -timeout 3h

prove: ## live through random histories for PROVE_FOR (10m), then plant bugs that must be caught
	PROVE_FOR=$(PROVE_FOR) go test ./internal/engine -run '^TestHistories$$' -count=1 -v -timeout 0 \
	  | grep -v -e '\[rapid\] OK' -e '^=== '
	cd tools && go run ./planted ..

bench: build ## the table of 100, 1,000 and 10,000 resources
	PULUMI_BIN=$(CURDIR)/$(BIN) bench/run.sh

clean: ## remove what the targets built; keeps the linter and the example's state
	rm -rf bin bench/out cover.out
