# Recorded incidents, and how well `diagnose` tells them.

.PHONY: corpus corpus-real score reproduce-all

corpus: ## record those incidents of corpus/ that are missing, in virtual machines (about 40 s each)
	@tools/need cc qemu-system-x86_64 mkfs.ext4 cpio
	$(CARGO) run --release --locked -p pagetide-corpus -- record

# CASES="tar-mglru oom-classic": those; without them, every case on each of its kernels (a day).
corpus-real: build ## record incidents of real programs in Debian guests, into OUT, run/real when left out (needs root; CASES=tar-mglru, about 100 s each)
	@tools/need mmdebstrap qemu-system-x86_64 mkfs.ext4 debugfs git python3
	corpus/real/record.py $(BIN) $(or $(OUT),run/real) $(CASES)

score: ## how well `diagnose` tells the recorded incidents, into docs/SCORE.md (seconds)
	@tools/need cc
	$(CARGO) run --release --locked -p pagetide-corpus -- score $(if $(HELD),--held)

reproduce-all: ## which recordings of real programs the model shows again, into docs/REPRODUCE.md (many minutes)
	@tools/need cc
	UPDATE_DOCS=1 $(CARGO) test --release --locked -p pagetide-reproduce --test incidents --test catalogue -- --ignored
