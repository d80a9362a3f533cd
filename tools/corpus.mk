# Recorded incidents, and how well `diagnose` tells them.

.PHONY: corpus score

corpus: ## record those incidents of corpus/ that are missing, in virtual machines (about 40 s each)
	@tools/need cc qemu-system-x86_64 mkfs.ext4 cpio
	$(CARGO) run --release --locked -p pagetide-corpus -- record

score: ## how well `diagnose` tells the recorded incidents, into docs/SCORE.md (seconds)
	@tools/need cc
	$(CARGO) run --release --locked -p pagetide-corpus -- score $(if $(HELD),--held)
