# Attacks, kills, faults and load.

.PHONY: torture fuzz test-busy

# PROFILE=dev builds it faster and tries it slower. INPUTS=100000: mutated inputs of each fuzz target.
torture: ## kills, faults, peers, bombs, planted files, 8 million inputs: a table of tries and failures (needs root; PART=… one of docs/RELIABILITY.md, SEED=1)
	@tools/need cc python3 fio unshare
	$(CARGO) build --profile $(or $(PROFILE),torture) --locked -p pagetide
	@PROFILE=$(or $(PROFILE),torture) tools/torture $(or $(CARGO_TARGET_DIR),target)/$(patsubst dev,debug,$(or $(PROFILE),torture))/pagetide $(PART)

fuzz: ## look for inputs that break a parser (TARGET=log SECONDS=600; all for a minute each when left out)
	@tools/need cc c++
	@tools/fuzz "$(CARGO)" "$(TARGET)" $(or $(SECONDS),60)

# Three times, because a test that assumes a quiet machine fails only sometimes.
test-busy: test-programs ## every test three times, beside two CPU hogs and a disk hog
	for run in 1 2 3; do tools/busy $(CARGO) test --workspace --locked --no-fail-fast || exit 1; done
