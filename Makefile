# SPDX-License-Identifier: MIT
# The front door: a thin face over the CMake presets. `make help` lists the words;
# docs/build-targets.md has NETKIT_TARGET, NETKIT_ARCH and the switches.
.PHONY: all lib demo test test-cpp test-c test-python examples example-cpp example-c embedded-smoke \
        bench bench-mcu firmware wheel install clean help packages-build packages-test \
        packages-python configure refusals
.NOTPARALLEL:
JOBS ?= $(shell nproc)
NETKIT_TARGET ?= cpu
# Debian's packages for Python are of Debian's own interpreter.
PYTHON ?= $(or $(wildcard /usr/bin/python3),python3)
SWITCHES := $(foreach name,TARGET ARCH GLOBAL_ARENA HEAP_ARENA MMAP ARENA_CAPACITY ARENA_KB CMSIS_NN \
              NMSIS_NN ESP_NN XNNPACK,-DNETKIT_$(name)=$(NETKIT_$(name)))
DEVICE_BUILD = build/$(NETKIT_TARGET)$(addprefix -,$(NETKIT_ARCH))
CTEST = ctest --test-dir build --output-on-failure -j $(JOBS)

HOST_WORDS = demo test test-cpp test-c test-python examples example-cpp example-c embedded-smoke \
             firmware wheel install bench bench-mcu
ifneq ($(NETKIT_TARGET),cpu)
ifneq ($(filter $(HOST_WORDS),$(MAKECMDGOALS)),)
$(error netkit: make $(filter $(HOST_WORDS),$(MAKECMDGOALS)) is for this machine: leave out \
NETKIT_TARGET=$(NETKIT_TARGET))
endif
endif

all: lib

# What may not stand together is refused before anything is installed, where there is a cmake.
refusals:
	@! command -v cmake >/dev/null || scripts/configure.sh $(SWITCHES) -P cmake/target_class.cmake

packages-build: refusals
	@scripts/install_packages.sh $(if $(filter cpu,$(NETKIT_TARGET)),build,$(NETKIT_TARGET))
packages-test: refusals
	@scripts/install_packages.sh test
packages-python: refusals
	@scripts/install_packages.sh python

configure: packages-build
	@scripts/configure.sh --preset release $(SWITCHES) -DNETKIT_PYTHON=OFF

ifeq ($(NETKIT_TARGET),cpu)
lib: configure ## the tool and the library: ./netkit, ./libnetkit.a
	@cmake --build build -j $(JOBS) --target netkit_cli netkit_library
	@ln -sf build/netkit netkit && ln -sf build/libnetkit.a libnetkit.a
	@echo "netkit: built ./netkit and ./libnetkit.a"
else
# The archive's date is old, so that the next build for this machine puts its own in this place.
lib: packages-build
	@scripts/configure.sh -S . -B $(DEVICE_BUILD) -G Ninja -DCMAKE_BUILD_TYPE=MinSizeRel \
	  -DNETKIT_TESTS=OFF $(SWITCHES)
	@cmake --build $(DEVICE_BUILD) -j $(JOBS) --target netkit
	@cp $(DEVICE_BUILD)/libnetkit.a build/libnetkit.a && touch -d 2000-01-01 build/libnetkit.a
	@ln -sf build/libnetkit.a libnetkit.a
	@echo "netkit: built ./libnetkit.a for $(NETKIT_TARGET) $(NETKIT_ARCH)"
endif

demo: lib ## the main job on a digit model of ours: plan, run, emit C, compile it, compare the bits
	@cmake --build build -j $(JOBS) --target netkit_demo
	@build/netkit_demo models build/demo

test: packages-test ## everything that CI checks
	@scripts/check.sh

test-cpp: packages-test ## the C++ interface and the runtime, then the bundled models
	@scripts/configure.sh --preset tests $(SWITCHES)
	@cmake --build build -j $(JOBS) --target netkit_cli test_runtime test_compiler_driver
	@$(CTEST) -R '^test_(runtime|compiler_driver)'
	@build/netkit test

test-c: packages-test ## every function of netkit.h, as C99, C11 and C23
	@scripts/configure.sh --preset tests $(SWITCHES)
	@cmake --build build -j $(JOBS) --target test_capi_c99 test_capi_c11 test_capi_c23
	@$(CTEST) -R '^test_capi_c'

test-python: packages-python ## the Python package: pytest against build/python
	@scripts/configure.sh --preset release $(SWITCHES) -DNETKIT_PYTHON=ON -DPython_EXECUTABLE=$(PYTHON)
	@cmake --build build -j $(JOBS) --target netkit_python
	@PYTHONPATH=build/python $(PYTHON) -m pytest -q -p no:cacheprovider python/tests

wheel: packages-python ## a wheel of the Python package, in build/wheels
	@$(PYTHON) -m venv build/wheel-venv
	@build/wheel-venv/bin/pip -q install --upgrade pip
	@build/wheel-venv/bin/pip wheel . --no-deps -w build/wheels

examples: lib ## the programs in examples/
	@cmake --build build -j $(JOBS) --target netkit_examples

example-cpp: lib ## examples/infer_cpp.cpp on a digit model
	@cmake --build build -j $(JOBS) --target infer_cpp
	@build/netkit compile models/digits_cnn_int8.tflite -o build/digits.nk >/dev/null
	@build/infer_cpp build/digits.nk models/digits-images.idx3-ubyte

example-c: lib ## examples/infer_c.c on a digit model
	@cmake --build build -j $(JOBS) --target infer_c
	@build/netkit compile models/digits_cnn_int8.tflite -o build/digits.nk >/dev/null
	@build/infer_c build/digits.nk models/digits-images.idx3-ubyte

firmware: packages-test lib ## MODEL on an emulated BOARD: output bytes compared, instructions counted
	@scripts/run_firmware.py $(or $(BOARD),mps2-an386) --count \
	  --model $(or $(MODEL),models/digits_cnn_int8.tflite)

embedded-smoke: packages-test lib ## a digit model on an emulated Cortex-M4 and RV32IMAC
	@scripts/run_firmware.py mps2-an386 --emit-option=--target=cortex-m4 --cases 2 \
	  --model models/digits_cnn_int8.tflite
	@scripts/run_firmware.py riscv32-virt --emit-option=--target=rv32imac --cases 2 \
	  --model models/digits_cnn_int8.tflite

install: lib ## cmake --install into PREFIX (/usr/local): libraries, headers, CMake and pkg-config files
	@cmake --install build --prefix $(or $(PREFIX),/usr/local) --component runtime
	@cmake --install build --prefix $(or $(PREFIX),/usr/local) --component compiler

bench: lib ## the arena table of docs/results.md, for the public models in NETKIT_SHARED
	@python3 bench/arena_table.py --shared "$${NETKIT_SHARED:-../shared}"

bench-mcu: lib ## instructions, flash, RAM and stack of the public models on an emulated board (BOARD)
	@python3 bench/mcu_table.py --shared "$${NETKIT_SHARED:-../shared}" --board $(or $(BOARD),mps2-an386)

clean: ## removes build/, netkit and libnetkit.a
	@rm -rf build netkit libnetkit.a

help: ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## /  make \1	/'
