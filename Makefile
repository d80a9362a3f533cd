# pagetide: `make demo` runs experiments and writes their reports, `make test` checks it. Both install what is missing (Debian, as root).

CARGO ?= cargo
BIN := $(or $(CARGO_TARGET_DIR),target)/release/pagetide
VENV := $(CURDIR)/target/venv
PYTHON := $(CURDIR)/target/python
SAIL_PYTHON := $(CURDIR)/target/sail
# Where cargo puts what PROFILE builds.
BUILT := $(or $(CARGO_TARGET_DIR),target)/$(patsubst dev,debug,$(or $(PROFILE),release))
export PAGETIDE_DUCKDB_PYTHON := $(VENV)/bin/python
export PAGETIDE_CACHE ?= $(CURDIR)/target/cache
# A changed golden file is a failure, not a new file in the tree.
export INSTA_UPDATE ?= no

.PHONY: compare-sar torture help language web screenshots build demo cliff corpus fleet demo-fleet wheel test-python score test test-programs test-busy lint fuzz bench bench-lab bench-peers bench-gaps tools-demo tools-test

help:
	@echo "make demo    build, run three experiments, on this host and in a VM, write a report.html of each, and serve them (needs root)"
	@echo "make test    every test (needs root: the experiments are real)"
	@echo "make test-busy  every test three times, beside two CPU hogs and a disk hog"
	@echo "make language   look for the banned expressions of tools/banned-expressions"
	@echo "make lint    format, clippy and docs without warnings"
	@echo "make cliff   a file read twice in less and less memory, drawn into docs/cliff-*.svg"
	@echo "make fuzz TARGET=log SECONDS=600  look for inputs that break a parser (all targets for a minute each when left out)"
	@echo "make score   how well diagnose tells the recorded incidents of fixtures/corpus, into docs/SCORE.md (seconds)"
	@echo "make fleet HOSTS=1000  make the recordings of a fleet with a planted cause, into run/fleet (SEED=…, HOURS=…, PLANT=strong|weak|nothing)"
	@echo "make wheel   the Python package, into target/wheels; make test-python tests it"
	@echo "make demo-fleet HOSTS=200  a fleet on this machine and on a Spark cluster on loopback, one worker of which is killed (850 MB);"
	@echo "                SAIL=1: on Sail, too (600 MB)"
	@echo "make corpus  record those incidents of corpus/ that are missing, in virtual machines (about 40 s each)"
	@echo "make bench   the benchmarks: ratios within one run; the last is a fleet on this machine, Spark and Sail (2 GB to install)"
	@echo "make bench-lab    the whole catalogue at 1/16 in a VM, with its time (some 25 min without KVM)"
	@echo "make torture      kills, faults, slow clients, crowds, planted files, 6 million inputs: a table of tries and failures (needs root;"
	@echo "                  PART=kills, faults, clients, crowd, groups, planted or inputs: one of them; SEED=1: its random moments)"
	@echo "make bench-peers  what recording costs beside sadc, pidstat and atop, in one run (some 10 min)"
	@echo "make compare-sar  sysstat and pagetide on the same data, field by field, into docs/COMPARE-SAR.md (some 5 min, needs root)"
	@echo "make bench-gaps   how long each recorder goes without a sample while its machine thrashes, in a VM (some 5 min)"
	@echo "make web     the page of pagetide serve, into web/dist (make build embeds it)"
	@echo "make screenshots  the pictures of that page, into docs/images"
	@echo "make build   the release binary, $(BIN)"

# The page of `pagetide serve`, which the binary embeds. PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: the tests use the distribution's chromium.
web: web/dist/index.html

web/dist/index.html: web/package-lock.json web/build.mjs web/index.html $(shell find web/src -type f 2>/dev/null)
	@tools/need node npm
	cd web && PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci --no-audit --no-fund --loglevel=error && npm run --silent build

# Pictures of the page for the documents: a recorded incident, and this host while it is taken.
screenshots: build
	@tools/need node chromium
	@tools/screenshots $(BIN)

build: web
	@tools/need cc
	$(CARGO) build --release --locked -p pagetide

tools-demo:
	@tools/need cc fio

tools-test: $(VENV)/ready web
	@tools/need cc fio chromium openssl qemu-system-x86_64 mkfs.ext4 mkfs.xfs cpio dpkg-deb losetup unshare python3 sar vmstat

$(VENV)/ready: tools/requirements.txt
	@tools/need python-venv
	@mkdir -p target
	python3 -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check --require-hashes --only-binary=:all: -r tools/requirements.txt
	@touch $@

demo: tools-demo build
	@tools/demo $(BIN)

cliff: tools-demo build
	@tools/cliff $(BIN)

corpus:
	@tools/need cc qemu-system-x86_64 mkfs.ext4 cpio
	$(CARGO) run --release --locked -p pagetide-corpus -- record

fleet:
	@tools/need cc
	@mkdir -p run
	$(CARGO) run --release --locked -p pagetide-corpus -- fleet run/fleet --hosts $(or $(HOSTS),200) $(if $(HOURS),--hours $(HOURS)) $(if $(SEED),--seed $(SEED)) $(if $(PLANT),--plant $(PLANT))

$(PYTHON)/ready: crates/python/requirements.txt
	@tools/need python-venv
	@mkdir -p target
	python3 -m venv $(PYTHON)
	$(PYTHON)/bin/pip install --quiet --disable-pip-version-check --require-hashes --only-binary=:all: -r crates/python/requirements.txt
	@touch $@

# PROFILE=dev builds it faster, to test it.
wheel: $(PYTHON)/ready
	@tools/need cc
	@rm -f target/wheels/pagetide-*.whl
	$(PYTHON)/bin/maturin build --quiet --locked --profile $(or $(PROFILE),release) -m crates/python/Cargo.toml --out target/wheels
	$(PYTHON)/bin/pip install --quiet --disable-pip-version-check --force-reinstall --no-deps target/wheels/pagetide-*.whl

test-python:
	$(CARGO) build --locked -p pagetide
	@$(MAKE) --no-print-directory wheel PROFILE=dev
	PAGETIDE=$(CURDIR)/$(or $(CARGO_TARGET_DIR),target)/debug/pagetide $(PYTHON)/bin/python -m pytest -q -p no:cacheprovider crates/python/tests

# Spark is downloaded once (456 MB) and kept in target/.
$(PYTHON)/spark: $(PYTHON)/ready crates/python/requirements-spark.txt
	@echo "installing Spark into target/python: 456 MB to download, 850 MB on disk, some 3 minutes"
	$(PYTHON)/bin/pip install --quiet --disable-pip-version-check --require-hashes --no-build-isolation -r crates/python/requirements-spark.txt
	@touch $@

# PROFILE=dev builds it faster, to test it. SAIL=1 runs it on Sail as well (600 MB).
demo-fleet: wheel $(PYTHON)/spark $(if $(SAIL),$(SAIL_PYTHON)/ready)
	@tools/need java
	$(CARGO) build --profile $(or $(PROFILE),release) --locked -p pagetide -p pagetide-corpus
	@$(if $(SAIL),$(SAIL_PYTHON)/bin/pip install --quiet --disable-pip-version-check --force-reinstall --no-deps target/wheels/pagetide-*.whl)
	@tools/demo-fleet $(BUILT)/pagetide $(BUILT)/corpus $(PYTHON)/bin/python $(or $(HOSTS),200) $(if $(SAIL),$(SAIL_PYTHON)/bin/python)

$(SAIL_PYTHON)/ready: crates/python/requirements.txt crates/python/requirements-sail.txt
	@tools/need python-venv
	@echo "installing Sail into $(SAIL_PYTHON): 600 MB on disk"
	@mkdir -p target
	python3 -m venv $(SAIL_PYTHON)
	$(SAIL_PYTHON)/bin/pip install --quiet --disable-pip-version-check --require-hashes --only-binary=:all: -r crates/python/requirements.txt
	$(SAIL_PYTHON)/bin/pip install --quiet --disable-pip-version-check --require-hashes --no-build-isolation -r crates/python/requirements-sail.txt
	@touch $@

score:
	@tools/need cc
	$(CARGO) run --release --locked -p pagetide-corpus -- score $(if $(HELD),--held)

language:
	$(CARGO) test --locked -p pagetide --test language

test: tools-test
	$(CARGO) test --workspace --locked --no-fail-fast

test-programs: tools-test
	$(CARGO) test --workspace --locked --no-run

# Three times, because a test that assumes a quiet machine fails only sometimes.
test-busy: test-programs
	for run in 1 2 3; do tools/busy $(CARGO) test --workspace --locked --no-fail-fast || exit 1; done

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --locked
	@tools/aarch64 "$(CARGO)"

bench: tools-test build
	@tools/need htop atop
	$(CARGO) bench --workspace --locked
	@$(MAKE) --no-print-directory demo-fleet SAIL=1

# A claim that does not hold is a result here: the page says so.
bench-lab: tools-test build
	$(BIN) lab run all --on vm --scale 1/16 --out run/bench-lab --force || [ $$? -eq 1 ]

bench-peers: build
	@tools/need sar atop fio
	@tools/bench-peers $(BIN)

torture:
	@tools/need cc python3 fio unshare
	$(CARGO) build --profile torture --locked -p pagetide
	@tools/torture $(or $(CARGO_TARGET_DIR),target)/torture/pagetide $(PART)

compare-sar:
	@tools/need cc sar vmstat losetup unshare mkfs.ext4 python3
	@tools/compare-sar

bench-gaps: build
	@tools/need sar atop qemu-system-x86_64 mkfs.ext4 cpio
	@tools/bench-gaps $(BIN)

fuzz:
	@tools/need cc c++
	@tools/fuzz "$(CARGO)" "$(TARGET)" $(or $(SECONDS),60)
