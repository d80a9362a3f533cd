# What pagetide costs and how it compares, each beside its peers in one run.

.PHONY: bench bench-model bench-table bench-lab bench-peers bench-gaps compare-sar cliff

# libCacheSim is a peer to measure (GPL), and no part of pagetide.
SIM_VENV := $(CURDIR)/target/venv-libcachesim

bench: tools-test $(SIM_VENV)/ready bench-table ## every benchmark, as ratios within one run; the last is a fleet here, on Spark and on Sail (2 GB to install)
	@tools/need htop atop
	$(CARGO) bench --workspace --locked
	@$(MAKE) --no-print-directory demo-fleet SAIL=1

bench bench-model: export PAGETIDE_LIBCACHESIM_PYTHON := $(SIM_VENV)/bin/python
bench-model: $(SIM_VENV)/ready ## accesses a second of the model beside exact LRU and libCacheSim, and what whole experiments cost (some 2 min)
	$(CARGO) bench --locked -p pagetide-sim --bench lru
	$(CARGO) bench --locked -p pagetide-lab --bench model

$(SIM_VENV)/ready: tools/requirements-libcachesim.txt
	@tools/need python-venv
	@mkdir -p target
	python3 -m venv $(SIM_VENV)
	$(SIM_VENV)/bin/pip install --quiet --disable-pip-version-check --require-hashes --no-deps --only-binary=:all: -r tools/requirements-libcachesim.txt
	@touch $@

# With the names of functions, for the profile of each row that misses its aim.
bench bench-table: export CARGO_PROFILE_RELEASE_STRIP = none
bench-table: build $(VENV)/ready ## the costs beside their peers and their aims, with a profile of each miss (some 25 min; UPDATE_DOCS=1: into docs/PEERS.md)
	@tools/need sar atop python3 perf strace
	$(CARGO) build --release --locked -p pagetide --example made
	@tools/bench-table $(BIN) $(dir $(BIN))examples/made $(PART)

# A claim that does not hold is a result here: the page says so.
bench-lab: tools-test build ## the whole catalogue at 1/16 in a VM, with its time (some 25 min without KVM)
	$(BIN) lab run all --on vm --scale 1/16 --out run/bench-lab --force || [ $$? -eq 1 ]

bench-peers: build ## what recording costs beside sadc, pidstat and atop (some 10 min)
	@tools/need sar atop fio
	@tools/bench-peers $(BIN)

bench-gaps: build ## how long each recorder goes without a sample while its machine thrashes, in a VM (some 5 min)
	@tools/need sar atop qemu-system-x86_64 mkfs.ext4 cpio
	@tools/bench-gaps $(BIN)

compare-sar: ## sysstat and pagetide on the same data, field by field, into docs/COMPARE-SAR.md (some 5 min, needs root)
	@tools/need cc sar vmstat losetup unshare mkfs.ext4 python3
	@tools/compare-sar

cliff: tools-demo build ## a file read twice in less and less memory, drawn into docs/cliff-*.svg
	@tools/cliff $(BIN)
