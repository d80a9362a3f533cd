# What a contributor runs daily. Benchmarks, corpora, the Python package and packages: tools/*.mk. Each target installs what it
# needs (Debian, as root) and has one line after `##`, which `make help` prints.

CARGO ?= cargo
PROFILE = release
BIN = $(or $(CARGO_TARGET_DIR),target)/$(PROFILE)/pagetide
VENV := $(CURDIR)/target/venv
# For `pagetide --version`.
COMMIT = $(shell git describe --always --dirty --abbrev=12 --exclude '*' 2>/dev/null)
export PAGETIDE_DUCKDB_PYTHON := $(VENV)/bin/python
export PAGETIDE_CACHE ?= $(CURDIR)/target/cache
# A changed golden file is a failure, not a new file in the tree.
export INSTA_UPDATE ?= no

.PHONY: help demo build web book test-book screenshots test test-programs lint language tools-demo tools-test

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# What the demonstration does not show takes a seventh of the build: it leaves out TLS and `pagetide fleet`; and most of the rest is the optimiser.
demo: FEATURES := --no-default-features
demo: PROFILE = demo
demo: tools-demo build ## build, run three experiments on this host and in a VM, and serve their reports (needs root)
	@tools/demo $(BIN)

build: export PAGETIDE_COMMIT = $(COMMIT)
build: ## the release binary, target/release/pagetide
	@tools/need cc
	$(CARGO) build --profile $(PROFILE) --locked -p pagetide $(FEATURES)

web: web/node_modules/.package-lock.json ## the page of `pagetide serve` from its sources in web/, into crates/serve/page, which is committed
	cd web && npm run --silent build

# PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: the tests use the distribution's chromium.
web/node_modules/.package-lock.json: web/package-lock.json
	@tools/need node npm
	cd web && PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci --no-audit --no-fund --loglevel=error

screenshots: build ## pictures of that page, into docs/images: a recorded incident, and this host meanwhile
	@tools/need node chromium
	@tools/screenshots $(BIN)

test: tools-test ## every test (needs root: the experiments are real)
	$(CARGO) test --workspace --locked --no-fail-fast

test-programs: tools-test ## build the tests and run none
	$(CARGO) test --workspace --locked --no-run

lint: ## format, clippy and docs without warnings, aarch64 compiles, every crate can be packaged, subjects of commits are short
	@git log --format=%s --max-count=50 | awk 'length > 72 { print "longer than 72 characters: " $$0; bad = 1 } END { exit bad }'
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --locked
	@tools/aarch64 "$(CARGO)"
	@tools/crates "$(CARGO)"

# crates/pagetide/tests/book.rs checks its links and runs its commands.
book: target/tools/bin/mdbook ## these documents as one book with a search, into target/book
	target/tools/bin/mdbook build docs

target/tools/bin/mdbook:
	@tools/need cc
	$(CARGO) install --quiet --locked --root target/tools --no-default-features --features search mdbook@0.5.4

test-book: ## also the commands of the book that need root, QEMU or minutes
	PAGETIDE_NIGHTLY=1 $(CARGO) test --locked -p pagetide --test book

language: ## look for the banned expressions of tools/banned-expressions
	$(CARGO) test --locked -p pagetide --test language

tools-demo:
	@tools/need cc fio

tools-test: $(VENV)/ready web/node_modules/.package-lock.json
	@tools/need cc fio chromium openssl qemu-system-x86_64 mkfs.ext4 mkfs.xfs cpio dpkg-deb losetup unshare python3 sar vmstat

$(VENV)/ready: tools/requirements.txt
	@tools/need python-venv
	@mkdir -p target
	python3 -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check --require-hashes --only-binary=:all: -r tools/requirements.txt
	@touch $@

include tools/*.mk
