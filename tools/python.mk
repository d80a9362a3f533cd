# The Python package, and fleets on this machine, Spark and Sail.

PYTHON := $(CURDIR)/target/python
SAIL_PYTHON := $(CURDIR)/target/sail
# Where cargo puts what PROFILE builds.
BUILT := $(or $(CARGO_TARGET_DIR),target)/$(patsubst dev,debug,$(or $(PROFILE),release))

.PHONY: wheel test-python fleet demo-fleet

wheel: $(PYTHON)/ready ## the Python package, into target/wheels (PROFILE=dev builds it faster)
	@tools/need cc
	@rm -f target/wheels/pagetide-*.whl
	$(PYTHON)/bin/maturin build --quiet --locked --profile $(or $(PROFILE),release) -m crates/python/Cargo.toml --out target/wheels
	$(PYTHON)/bin/pip install --quiet --disable-pip-version-check --force-reinstall --no-deps target/wheels/pagetide-*.whl

test-python: ## build the Python package and test it
	$(CARGO) build --locked -p pagetide
	@$(MAKE) --no-print-directory wheel PROFILE=dev
	@rm -rf target/bombs
	$(CARGO) run --quiet --locked -p pagetide-fuzz --example bombs target/bombs
	PAGETIDE_BOMBS=$(CURDIR)/target/bombs PAGETIDE=$(CURDIR)/$(or $(CARGO_TARGET_DIR),target)/debug/pagetide $(PYTHON)/bin/python -m pytest -q -p no:cacheprovider crates/python/tests

fleet: ## make the recordings of a fleet with a planted cause, into run/fleet (HOSTS=1000 SEED=… HOURS=… PLANT=strong|weak|nothing)
	@tools/need cc
	@mkdir -p run
	$(CARGO) run --release --locked -p pagetide-corpus -- fleet run/fleet --hosts $(or $(HOSTS),200) $(if $(HOURS),--hours $(HOURS)) $(if $(SEED),--seed $(SEED)) $(if $(PLANT),--plant $(PLANT))

demo-fleet: wheel $(PYTHON)/spark $(if $(SAIL),$(SAIL_PYTHON)/ready) ## a fleet here and on Spark on loopback, one worker of which is killed (HOSTS=200, 850 MB; SAIL=1: on Sail, too)
	@tools/need java
	$(CARGO) build --profile $(or $(PROFILE),release) --locked -p pagetide -p pagetide-corpus
	@$(if $(SAIL),$(SAIL_PYTHON)/bin/pip install --quiet --disable-pip-version-check --force-reinstall --no-deps target/wheels/pagetide-*.whl)
	@tools/demo-fleet $(BUILT)/pagetide $(BUILT)/corpus $(PYTHON)/bin/python $(or $(HOSTS),200) $(if $(SAIL),$(SAIL_PYTHON)/bin/python)

$(PYTHON)/ready: crates/python/requirements.txt
	@tools/need python-venv
	@mkdir -p target
	python3 -m venv $(PYTHON)
	$(PYTHON)/bin/pip install --quiet --disable-pip-version-check --require-hashes --only-binary=:all: -r crates/python/requirements.txt
	@touch $@

# Spark is downloaded once (456 MB) and kept in target/.
$(PYTHON)/spark: $(PYTHON)/ready crates/python/requirements-spark.txt
	@echo "installing Spark into target/python: 456 MB to download, 850 MB on disk, some 3 minutes"
	$(PYTHON)/bin/pip install --quiet --disable-pip-version-check --require-hashes --no-build-isolation -r crates/python/requirements-spark.txt
	@touch $@

$(SAIL_PYTHON)/ready: crates/python/requirements.txt crates/python/requirements-sail.txt
	@tools/need python-venv
	@echo "installing Sail into $(SAIL_PYTHON): 600 MB on disk"
	@mkdir -p target
	python3 -m venv $(SAIL_PYTHON)
	$(SAIL_PYTHON)/bin/pip install --quiet --disable-pip-version-check --require-hashes --only-binary=:all: -r crates/python/requirements.txt
	$(SAIL_PYTHON)/bin/pip install --quiet --disable-pip-version-check --require-hashes --no-build-isolation -r crates/python/requirements-sail.txt
	@touch $@
