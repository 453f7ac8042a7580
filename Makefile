# SPDX-License-Identifier: MIT
# The front door: a thin face over the CMake presets. `make help` lists the words.
.PHONY: all lib demo test examples bench bench-mcu firmware clean help packages-build packages-test configure
.NOTPARALLEL:
JOBS ?= $(shell nproc)
# Switches of the build that a user may name here too: make lib NETKIT_XNNPACK=1.
SWITCHES := $(foreach s,CMSIS_NN NMSIS_NN ESP_NN XNNPACK,-DNETKIT_$(s)=$(or $(NETKIT_$(s)),0))

all: lib

packages-build:
	@scripts/install_packages.sh build
packages-test:
	@scripts/install_packages.sh test

configure: packages-build
	@cmake --preset release $(SWITCHES) >build-configure.log 2>&1 || { cat build-configure.log; exit 1; }
	@mkdir -p build && mv build-configure.log build/configure.log

lib: configure ## the tool and both libraries: build/netkit, build/libnetkit.a, build/libnetkit_compiler.a
	@cmake --build build -j $(JOBS) --target netkit_cli
	@ln -sf build/netkit netkit && ln -sf build/libnetkit.a libnetkit.a
	@echo "netkit: built ./netkit, ./libnetkit.a and build/libnetkit_compiler.a"

demo: lib ## the main job on a digit model of ours: plan, run, emit C, compile it, compare the bits
	@cmake --build build -j $(JOBS) --target netkit_demo
	@build/netkit_demo models build/demo

test: packages-test ## everything that CI checks
	@scripts/check.sh

examples: lib ## the programs in examples/
	@cmake --build build -j $(JOBS) --target netkit_examples

bench: lib ## the arena table of docs/results.md, for the public models in NETKIT_SHARED
	@python3 bench/arena_table.py --shared "$${NETKIT_SHARED:-../shared}"

bench-mcu: lib ## instructions, flash, RAM and stack of the public models on an emulated board (BOARD)
	@python3 bench/mcu_table.py --shared "$${NETKIT_SHARED:-../shared}" --board $(or $(BOARD),mps2-an386)

clean: ## removes build/, netkit and libnetkit.a
	@rm -rf build netkit libnetkit.a

help: ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## /  make \1	/'
