# What a newcomer needs: `make run` and `make test`; both install the system packages that the build needs.

DATA ?= data
# What rust-toolchain.toml asks for, where it is installed under another name.
TOOLCHAIN := $(shell tools/toolchain)
ifneq ($(TOOLCHAIN),)
export RUSTUP_TOOLCHAIN := $(TOOLCHAIN)
endif
APT_PACKAGES := clang libclang-dev pkg-config make curl ca-certificates

# What the tests of the page need, and those with clients of Java.
TEST_PACKAGES := chromium firefox-esr fonts-dejavu-core maven default-jdk-headless

.PHONY: run build test lint bench trials packages tools

run: packages
	cargo run --release --locked -p larder -- serve --data $(DATA)

build: packages
	cargo build --release --locked

# Format, lints, dependency rules, then every test, ending with real clients against a real server.
test: packages lint
	@tools/install-packages $(TEST_PACKAGES)
	tests/run

lint: packages tools
	cargo fmt --all --check
	tools/unused-dependencies
	cargo clippy --locked --workspace --all-targets -- -D warnings
	cargo fetch --locked
	cargo metadata --locked --format-version 1 --manifest-path fuzz/Cargo.toml >/dev/null
	cargo deny --offline check licenses bans sources

# The published experiments, small: each prints a table beside its peers and draws a chart into experiments/results.
bench: build
	experiments/run all --small

# Kills, power cuts, full disks, damage, crowds, hostile bytes: hours of them, then each fuzz target for a minute.
trials: build
	LARDER_BINARY=$(CURDIR)/target/release/larder trials/run --long
	trials/fuzz

# System packages of the build (RocksDB's bindings need libclang); nothing is done where they are present.
packages:
	@tools/install-packages $(APT_PACKAGES)

tools:
	@tools/install-cargo-deny
