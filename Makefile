# The everyday commands. Meson and Ninja do the work; this file only knows the words.
#
#   make            build/cairn, optimised
#   make demo       a simulated rescue and the operator's page, from nothing
#   make test       all tests; ends with "N passed, N failed"
#   make check-all  lint, and the tests with the second compiler and under the sanitizers
.PHONY: all packages test-packages demo test lint format asan tsan clang fuzz bench soak check-all install clean

BUILD ?= build
FUZZ_SECONDS ?= 300

all: $(BUILD)/build.ninja
	ninja -C $(BUILD)

packages:
	@tools/install-packages packages.txt

test-packages:
	@tools/install-packages packages.txt packages-test.txt

$(BUILD)/build.ninja: | packages
	meson setup $(BUILD)

demo: all
	$(BUILD)/cairn demo

# A folder that was set up before all packages were there lacks tests and parts: it is set up again, and looks for them.
test: test-packages $(BUILD)/build.ninja
	meson setup --reconfigure $(BUILD)
	ninja -C $(BUILD)
	python3 tests/run.py $(BUILD)

lint: | test-packages
	python3 tools/lint.py $(BUILD)

format: | test-packages
	python3 tools/lint.py --fix $(BUILD)

build-asan/build.ninja: | test-packages
	meson setup $(@D) -Dbuildtype=debugoptimized -Doptimization=1 -Daudits=true -Db_sanitize=address,undefined
build-tsan/build.ninja: | test-packages
	meson setup $(@D) -Dbuildtype=debugoptimized -Doptimization=1 -Daudits=true -Db_sanitize=thread
build-clang/build.ninja: | test-packages
	CC=clang meson setup $(@D)
build-fuzz/build.ninja: | test-packages
	CC=clang meson setup $(@D) -Dbuildtype=debugoptimized -Daudits=true -Dfuzz=true -Dtests=false \
	  -Db_sanitize=address,undefined -Db_lundef=false

# Sanitizers run everything but the whole missions, which they make too slow; those have the suite "missions". Parts of
# a team are killed once each, and a mission in real time with an operator is theirs alone: the suite "sanitized".
asan tsan: %: build-%/build.ninja
	meson setup --reconfigure build-$@
	ninja -C build-$@
	python3 tests/run.py build-$@ --without missions
clang: build-clang/build.ninja
	meson setup --reconfigure build-clang
	ninja -C build-clang
	python3 tests/run.py build-clang

fuzz: build-fuzz/build.ninja
	ninja -C build-fuzz
	python3 tools/fuzz.py build-fuzz --seconds $(FUZZ_SECONDS)

bench: all
	$(BUILD)/cairn bench

soak: all
	python3 tests/soak.py $(BUILD)

check-all: lint test clang asan tsan

install: all
	meson install -C $(BUILD)

clean:
	rm -rf build build-asan build-tsan build-clang build-fuzz
