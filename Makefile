# `make` lists the targets.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

MODULES := Logging Customization AppConfig Networking EventBus
EXTRAS := $(notdir $(wildcard Sources/Extras/*))
# One module for bench, fuzz, soak, tsan and asan, as in `make bench MODULE=Logging`; all of them without it.
MODULE ?=
CHOSEN := $(or $(MODULE),$(MODULES))
CHOSEN_FOR_FUZZING := $(or $(MODULE),$(MODULES) Tooling)
CHOSEN_FOR_BENCH := $(or $(MODULE),$(MODULES) Ashlar Fleet)
CHOSEN_FOR_TESTS := $(or $(MODULE),Core $(MODULES) $(EXTRAS))
# Seconds for each fuzz target.
SECONDS_PER_TARGET ?= 20
SWIFT_FLAGS ?=
FORMATTED := Package.swift Plugins Sources Tests Examples Benchmarks Fuzzing
# What tests use if it is installed.
TEST_PACKAGES := curl fish gettext groff-base libnats3.4 nats-server nginx-light openssl python3 python3-hpack \
    python3-pip python3-venv valgrind zsh

# Networking and WebSockets run one test at a time, because tests that use all processors would delay the timers of others.
parallel = $$(case "$(1)" in Networking|WebSockets) echo --no-parallel ;; esac)

# Modules as apps ship them, with what tests see.
OPTIMIZED := -c release -Xswiftc -enable-testing --scratch-path .build/optimized

# The modules whose tests run optimized in `ci`, too. `make test-release` runs those of all.
OPTIMIZED_IN_CI := Core $(MODULES)

# Runs the built tests of each module, with options for `swift test` and an ending of the log's name. Each module has its own
# process, so that tests of one module don't delay the timers of another, and its own log.
run_tests = failed=; for module in $(or $(MODULE),Core $(MODULES) $(EXTRAS) Tool ""); do \
    Scripts/run-tests $${module:-Ashlar}$(2) swift test --skip-build $(1) $(SWIFT_FLAGS) $(call parallel,$$module) \
        --filter "^Ashlar$${module}Tests\." || failed=1; \
    done; [ -z "$$failed" ]

PREFIX ?= /usr/local

.PHONY: help install run test test-release build lint format docs docs-check inspector consumer examples fleet java bench bench-builds bench-check libcurl tsan asan fuzz \
    soak stress coverage mutants apple api-check apple-release-check clean ci

help: ## Lists the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1|/' | column -t -s '|'

run: ## Builds and runs the sample app on Resources/ (ARGS="--language fr --brand acme")
	@[ -d Examples/.build ] || echo "The first build takes about a minute."
	@# Without an index and debug information, the first build takes a fifth less time.
	@Scripts/build-quietly "the sample" swift build --package-path Examples --product field-notes \
	    --disable-index-store -debug-info-format none
	@Examples/.build/debug/field-notes --resources Resources $(ARGS)

install: ## Installs the tool, its completions and its manual page (PREFIX=/usr/local)
	@Scripts/build-quietly "the tool" swift build -c release --product ashlar
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/man/man1" \
	    "$(DESTDIR)$(PREFIX)/share/bash-completion/completions" "$(DESTDIR)$(PREFIX)/share/zsh/site-functions" \
	    "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d"
	install .build/release/ashlar "$(DESTDIR)$(PREFIX)/bin/ashlar"
	.build/release/ashlar manual >"$(DESTDIR)$(PREFIX)/share/man/man1/ashlar.1"
	.build/release/ashlar completion bash >"$(DESTDIR)$(PREFIX)/share/bash-completion/completions/ashlar"
	.build/release/ashlar completion zsh >"$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_ashlar"
	.build/release/ashlar completion fish >"$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/ashlar.fish"

# Package.swift leaves out what the tests of this module don't need.
test test-release tsan asan soak: export ASHLAR_TESTS := $(MODULE)

test: build ## Builds every module, runs its tests and checks the sources (MODULE=Logging for the tests of one alone)
	@$(call run_tests)
	Scripts/check-independence
	Scripts/check-order
	Scripts/check-names
ifeq ($(MODULE),)
	Scripts/check-samples
	Scripts/check-samples --main-actor
	Scripts/check-proofs
endif

test-release: ## Runs the tests of every module optimized, as apps ship it (MODULE="Core AppConfig" for some)
	@Scripts/install-packages $(TEST_PACKAGES)
	@LOG=.build/build-release.log Scripts/build-quietly "all modules and their tests, optimized" \
	    swift build $(OPTIMIZED) --product AshlarPackageTests $(SWIFT_FLAGS)
	@$(call run_tests,$(OPTIMIZED),-release)

build:
	@Scripts/install-packages $(TEST_PACKAGES)
	@# The product of all tests doesn't compile the generator of keys a second time for the plugin, which the examples use.
	@Scripts/build-quietly "all modules and their tests" swift build --product AshlarPackageTests $(SWIFT_FLAGS)

lint: ## Checks the format of every Swift file
	swift-format lint --strict --parallel --recursive $(FORMATTED)

format: ## Rewrites every Swift file in the house format
	swift-format format --in-place --parallel --recursive $(FORMATTED)

docs: ## Builds the documentation as web pages into .build/docs
	Scripts/build-docs

docs-check: docs ## Builds the documentation and opens its pages in Chromium (ARGS="--pages 500" for more of them)
	@Scripts/install-packages chromium
	Scripts/check-browser --self-check
	Scripts/check-browser $(ARGS)

inspector: ## Opens reports and a running app in Chromium: 100,000 lines, hostile texts, the keyboard alone, actions, memory
	@Scripts/install-packages chromium
	@Scripts/build-quietly "the tool" swift build --product ashlar $(SWIFT_FLAGS)
	@Scripts/build-quietly "the inspected app" swift build --product AshlarInspectorTestChild $(SWIFT_FLAGS)
	Scripts/check-inspector $(ARGS)

consumer: ## Builds and runs Tests/Consumer, which uses each product alone
	@Scripts/build-quietly "the programs that use each product alone" swift build --package-path Tests/Consumer $(SWIFT_FLAGS)
	@for module in $(MODULES) Fleet Inspector Models Originals Remote Telemetry Testing WebSockets EventBusOnMain EventBusNonisolated NetworkingOnMain SwiftConfiguration; do Tests/Consumer/.build/debug/Use$$module; done

examples: ## Builds and runs every program of Examples/ and the app of the tutorial, and tests its formats of configuration files
	@Scripts/install-packages libyaml-dev libtomlplusplus-dev
	@Scripts/build-quietly "the examples" swift build --package-path Examples --build-tests $(SWIFT_FLAGS)
	@Scripts/run-examples
	@Scripts/check-formats
	@Scripts/check-tutorial
	@Scripts/check-init

fleet: ## Runs three processes that a NATS server connects, with a kill of a worker and of the server
	@Scripts/install-packages nats-server libnats3.4
	@Scripts/build-quietly "the processes" swift build --package-path Examples --product fleet $(SWIFT_FLAGS)
	@Examples/.build/debug/fleet

java: ## Compiles the Java classes and compares the values they read with those that Swift reads
	@Scripts/install-packages default-jdk-headless
	@mkdir -p .build/java
	@if command -v javac >/dev/null; then \
	    javac --release 11 -encoding UTF-8 -Xlint:all -Werror -d .build/java Java/ashlar/*.java Java/Test/*.java && \
	    java -cp .build/java:Java Check .build/java/values.txt; \
	elif [ -n "$${CI:-}" ]; then \
	    echo "no Java compiler"; exit 1; \
	fi

bench: ## Compares with other libraries, as ratios (MODULE=Logging for one module, ARGS=--quick for a short run)
	@Scripts/install-packages binutils libspdlog-dev libfmt-dev libcurl4-openssl-dev libnats-dev nats-server nginx-light valgrind
	@mkdir -p .build/bench
	@for module in $(CHOSEN_FOR_BENCH); do \
	    swift build -q -c release --package-path Benchmarks --product $${module}Benchmarks || exit 1; \
	    TZ=UTC Benchmarks/.build/release/$${module}Benchmarks --json .build/bench/$$module.json $(ARGS); \
	done

bench-builds: ## Measures clean builds of programs that use the package, in processor time
	Scripts/measure-builds

bench-check: bench ## Measures and compares the figures with their bars and the results in Benchmarks/Results
	Scripts/check-bench $(MODULE)

libcurl: ## Runs Networking's tests with a newer libcurl than the system's
	Scripts/test-libcurl

tsan: ## Runs the tests under the thread sanitizer (MODULE=EventBus for one)
	@for module in $(CHOSEN_FOR_TESTS); do swift test --sanitize thread --scratch-path .build/tsan $(call parallel,$$module) \
	    --filter "^Ashlar$${module}Tests\." || exit 1; done

# Leak detection is off because Foundation and XCTest leak. The sanitizer doesn't handle signals because child processes of
# the tests end with signals on purpose.
asan: export ASAN_OPTIONS := detect_leaks=0:handle_segv=0:handle_abort=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0
asan: ## Runs the tests under the address sanitizer
	@for module in $(CHOSEN_FOR_TESTS); do swift test --sanitize address --scratch-path .build/asan $(call parallel,$$module) \
	    --filter "^Ashlar$${module}Tests\." || exit 1; done

fuzz: ## Fuzzes every parser with libFuzzer (SECONDS_PER_TARGET=20)
	@for module in $(CHOSEN_FOR_FUZZING); do Scripts/fuzz $$module $(SECONDS_PER_TARGET) || exit 1; done

# One test at a time: a test of ten minutes would use up the time limits of those beside it.
soak: ## Runs the tests with many more kills, generated files, races and requests
	@for module in $(CHOSEN_FOR_TESTS); do \
	    ASHLAR_SOAK=1 swift test $(OPTIMIZED) --no-parallel --filter "^Ashlar$${module}Tests\." || exit 1; \
	done

stress: build ## Runs every test in random order beside two busy loops, three times, and then on one processor (ARGS="--rounds 1 --seed 1 Core")
	Scripts/stress-tests $(ARGS)

# `coverage` builds the tests of all modules at once; the same build serves those of one module.
coverage: export ASHLAR_TESTS := Core $(MODULES)
coverage: ## Prints the lines that the tests of Core and the five modules run (MODULE=Core for one, ARGS=--lines for those they don't)
	@Scripts/install-packages $(TEST_PACKAGES)
	@LOG=.build/build-coverage.log Scripts/build-quietly "the tests with counters of lines" \
	    swift build --build-tests --enable-code-coverage --scratch-path .build/coverage $(SWIFT_FLAGS)
	@Scripts/coverage $(ARGS) $(MODULE)

mutants: ## Plants faults in a module's sources and reports those that its tests don't notice (MODULE=Logging ARGS="--count 100 --seed 1")
	Scripts/mutants $(or $(MODULE),$(error Choose a module, as in make mutants MODULE=Logging)) $(ARGS)

apple: ## Compiles everything for macOS and iOS, and C for every Apple triple, on Linux
	@Scripts/build-quietly "the generator of keys" swift build --product AshlarKeysTool $(SWIFT_FLAGS)
	Scripts/apple-check

api-check: ## Compares the public API with that of the last tag
	Scripts/check-api

apple-release-check: ## On a Mac: builds for every Apple platform, runs the tests on macOS, archives the sample
	Scripts/apple-release-check

clean: ## Removes all build products
	rm -rf .build {Examples,Examples/Formats,Examples/Weather,Benchmarks,Fuzzing,Tests/Consumer}/.build

# A change must pass this target.
ci: SWIFT_FLAGS := -Xswiftc -warnings-as-errors
# A missing package is an error then.
ci: export CI := true
ci: lint test java apple consumer examples inspector ## Runs everything that a change must pass
	@$(MAKE) --no-print-directory test-release MODULE="$(OPTIMIZED_IN_CI)" SWIFT_FLAGS="$(SWIFT_FLAGS)"
	Scripts/test-libcurl --faults
	@Scripts/install-packages publicsuffix wasi-libc libclang-rt-dev-wasm32
	Scripts/generate-cldr --check
	Scripts/generate-public-suffixes --check
	Scripts/check-portability
	Scripts/check-pointer-size
	Scripts/check-linkage
	Scripts/check-docs
	Scripts/draw-diagrams --check
	Scripts/build-docs --skip-build >/dev/null
	@for check in api independence order portability pointer-size names docs linkage samples site bench proofs formats; do Scripts/check-$$check --self-check; done
	@for script in build-quietly install-packages run-tests apple-check mutants; do Scripts/$$script --self-check; done
