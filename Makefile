# Evergraph: everything a fresh clone needs. `make help` lists the targets.

SHELL := /bin/bash
# Where rustup puts the tools when it has just been installed.
export PATH := $(HOME)/.cargo/bin:$(PATH)
CARGO ?= cargo

.DEFAULT_GOAL := help
.PHONY: help deps build demo quick test deep fuzz bless documentation package search columnar outofcore

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

deps: ## Install what is missing: the Rust toolchain, compilers for zstd (C) and usearch (C++)
	@if ! command -v cargo >/dev/null; then \
		if command -v rustup >/dev/null; then rustup toolchain install; \
		elif command -v curl >/dev/null; then \
			echo "installing Rust with rustup"; \
			curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs \
				| sh -s -- -y --profile minimal --default-toolchain none --no-modify-path \
			&& rustup toolchain install; \
		fi; \
	fi
	@if ! command -v cargo >/dev/null; then \
		echo "error: there is no cargo, and it could not be installed"; \
		echo "hint: install Rust from https://rustup.rs, then run make again"; exit 1; \
	fi
	@if ! command -v cc >/dev/null || ! command -v c++ >/dev/null; then \
		if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
			apt-get update -qq && apt-get install -y -qq gcc g++ libc6-dev; \
		fi; \
	fi
	@if ! command -v cc >/dev/null; then \
		echo "error: there is no C compiler, which zstd and the linker need"; \
		echo "hint: install gcc or clang (Debian: apt-get install gcc libc6-dev), then run make again"; exit 1; \
	fi
	@if ! command -v c++ >/dev/null; then \
		echo "note: there is no C++ compiler, which vector search needs (make search)"; \
		echo "hint: install g++ or clang (Debian: apt-get install g++) for vector search"; \
	fi

build: deps ## Build the command line, target/release/evergraph
	$(CARGO) build --release -p evergraph-cli

demo: build ## Show the main job: ingest, analyse, kill, recover, prove
	$${CARGO_TARGET_DIR:-target}/release/evergraph demo

quick: deps ## Check formatting, lints and tests of what changed and what depends on it
	testing/tools/quick

test: deps ## Check formatting and lints, run all tests but those behind features; campaigns sampled
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	testing/tools/tests --workspace --lib --bins --tests
	$(CARGO) test --workspace --doc
	EVERGRAPH_SCHEDULES=200 $(CARGO) test --config testing/tools/schedules.toml -p evergraph-property-graph --features shuttle --lib schedules

deep: deps ## Run every campaign whole (hours; prints a table, also when interrupted)
	testing/tools/deep

# So many seconds for each target, or mutations where there is no libFuzzer.
FUZZ_SECONDS ?= 600
FUZZ_MUTATIONS ?= 10000000
fuzz: deps ## Fuzz every parser for long: with libFuzzer if it is installed, else by mutations
	FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_MUTATIONS=$(FUZZ_MUTATIONS) testing/tools/fuzz $(TARGETS)

bless: deps ## Write expectations and stored killers of mutants anew
	UPDATE_EXPECT=1 $(CARGO) test --workspace

documentation: deps ## Build the documentation of the crates; warnings are errors
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --exclude evergraph-cli --no-deps

# Not compiled once more from the packages, which takes minutes; the sources are those
# that were tested.
package: deps ## Pack the crates that ship, as a registry takes them (target/package)
	$(CARGO) package --quiet --no-verify --allow-dirty \
		$$(sed -n 's/^name = "\(evergraph.*\)"/-p \1/p' crates/*/Cargo.toml crates/query/*/Cargo.toml)

# Features, a target each.

SEARCH = --features evergraph-cli/fulltext,evergraph-cli/vector,evergraph-benches/fulltext,evergraph-benches/vector
search: deps ## Test full-text and vector search (minutes of compiling; needs a C++ compiler)
	$(CARGO) clippy -p evergraph-search -p evergraph-cli -p evergraph-benches $(SEARCH) --all-targets -- -D warnings
	$(CARGO) test -p evergraph-search --features fulltext,vector
	$(CARGO) test -p evergraph-cli -p evergraph-benches $(SEARCH) --test it search

columnar: deps ## Test Parquet and Arrow, which are behind a feature (minutes of compiling)
	$(CARGO) test -p evergraph-io -p evergraph --test it \
		--features evergraph-io/columnar,evergraph/columnar -- columnar:: arrow:: property_export::
	$(CARGO) test -p evergraph --features evergraph/columnar --lib arrow::
	$(CARGO) test -p evergraph-cli --features evergraph-cli/columnar --test it arrow

# Where the graph goes: a disk, not memory.
OUTOFCORE_DIRECTORY ?= .
outofcore: deps ## Ingest and analyse with a quarter of the graph's size as memory (minutes)
	$(CARGO) run --release -p evergraph-benches --bin evergraph-bench -- outofcore --scale 20 \
		--param degree=128 --param log-mib=48 --directory $(OUTOFCORE_DIRECTORY)
