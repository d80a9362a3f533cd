# pagetide: `make demo` runs experiments and writes their reports, `make test` checks it. Both install what is missing (Debian, as root).

CARGO ?= cargo
BIN := $(or $(CARGO_TARGET_DIR),target)/release/pagetide
VENV := $(CURDIR)/target/venv
export PAGETIDE_DUCKDB_PYTHON := $(VENV)/bin/python
export PAGETIDE_CACHE ?= $(CURDIR)/target/cache
# A changed golden file is a failure, not a new file in the tree.
export INSTA_UPDATE ?= no

.PHONY: compare-sar torture help language build demo cliff corpus score test test-programs test-busy lint fuzz bench bench-lab bench-peers bench-gaps tools-demo tools-test

help:
	@echo "make demo    build, run three experiments, on this host and in a VM, write a report.html of each (needs root)"
	@echo "make test    every test (needs root: the experiments are real)"
	@echo "make test-busy  every test three times, beside two CPU hogs and a disk hog"
	@echo "make language   look for the banned expressions of tools/banned-expressions"
	@echo "make lint    format, clippy and docs without warnings"
	@echo "make cliff   a file read twice in less and less memory, drawn into docs/cliff-*.svg"
	@echo "make fuzz TARGET=log SECONDS=600  look for inputs that break a parser (all targets for a minute each when left out)"
	@echo "make score   how well diagnose tells the recorded incidents of fixtures/corpus, into docs/SCORE.md (seconds)"
	@echo "make corpus  record those incidents of corpus/ that are missing, in virtual machines (about 40 s each)"
	@echo "make bench   the benchmarks: ratios within one run"
	@echo "make bench-lab    the whole catalogue at 1/16 in a VM, with its time (some 25 min without KVM)"
	@echo "make torture      kills, faults, slow clients, crowds, planted files, 6 million inputs: a table of tries and failures (needs root;"
	@echo "                  PART=kills, faults, clients, crowd, groups, planted or inputs: one of them; SEED=1: its random moments)"
	@echo "make bench-peers  what recording costs beside sadc, pidstat and atop, in one run (some 10 min)"
	@echo "make compare-sar  sysstat and pagetide on the same data, field by field, into docs/COMPARE-SAR.md (some 5 min, needs root)"
	@echo "make bench-gaps   how long each recorder goes without a sample while its machine thrashes, in a VM (some 5 min)"
	@echo "make build   the release binary, $(BIN)"

build:
	@tools/need cc
	$(CARGO) build --release --locked -p pagetide

tools-demo:
	@tools/need cc fio

tools-test: $(VENV)/ready
	@tools/need cc fio chromium qemu-system-x86_64 mkfs.ext4 mkfs.xfs cpio dpkg-deb losetup unshare python3 sar vmstat

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
	$(CARGO) bench --workspace --locked

# A claim that does not hold is a result here: the page says so.
bench-lab: tools-test build
	$(BIN) lab run all --on vm --scale 1/16 --out run/bench-lab --force || [ $$? -eq 1 ]

bench-peers: build
	@tools/need sar atop
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
