# Packages of one static binary for each architecture.

ARCH ?= x86_64
PACKAGES := target/packages

.PHONY: static deb rpm test-packages

static: ## one static binary, for any Linux of its architecture (ARCH=x86_64 or aarch64)
	@tools/static $(ARCH) "$(CARGO)"

deb: ## a Debian package of it, into target/packages (ARCH=…)
	@binary=$$(tools/static $(ARCH) "$(CARGO)") && tools/deb "$$binary" $(PACKAGES)

rpm: ## an RPM package of it, into target/packages (ARCH=…)
	@binary=$$(tools/static $(ARCH) "$(CARGO)") && tools/rpm "$$binary" $(PACKAGES)

# PART="userlands guest": these parts only; the script lists them.
test-packages: ## binaries in userlands of Debian 11 to 13 and Ubuntu 22.04, packages in a guest with systemd (root, QEMU, an hour)
	@tools/test-packages "$(CARGO)" $(PACKAGES) $(PART)
