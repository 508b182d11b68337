# The commands of the project. `make help` lists them.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help setup run emu emu-firmware bench crash bench-emu emu-full test lint format sim soak clean

help: ## list the commands
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(STAMP) ## make .venv and install everything (no root needed)

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 10) else "tumbler needs Python 3.10 or newer, this is %d.%d: name another with make PYTHON=python3.x" % sys.version_info[:2])'
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,emu]'
	@touch $@

run: $(STAMP) ## play three rounds of Tai-Sai on the simulated board and settle them
	$(BIN)/tumbler run --target sim --rounds 3 --dice 1,3,6 --dice 3,3,4 --dice 5,5,5 --wagers host_tools/settler/demo_wagers.csv --store sqlite:///tumbler.db

emu: $(STAMP) ## play a round on the emulated RP2040 and settle it (some minutes; needs emu-firmware)
	$(BIN)/tumbler run --target emu --rounds 1 --dice 1,3,6 --wagers host_tools/settler/demo_wagers.csv --store sqlite:///tumbler.db

bench: $(STAMP) ## print how fast wagers are settled and records are durable (some seconds)
	$(BIN)/python -m host_tools.settler.bench
	$(BIN)/python -m tests.host.store.bench_settling
	$(BIN)/python -m tests.host.run.bench_records

crash: $(STAMP) ## kill the host at every statement, commit and ack of a round, and 100 times by kill -9 (ten minutes)
	$(BIN)/python -m tests.host.run.crash_points
	$(BIN)/python -m tests.host.run.kill_nine

bench-emu: $(STAMP) ## print figures, limits and bounds of the emulated board (some minutes)
	$(BIN)/python -m host_tools.emu.bench

emu-full: $(STAMP) ## run all tests of the emulated board, also the long ones, and print their figures (an hour or more)
	$(BIN)/python -m pytest tests/emu -m 'emu_full or not emu_full'
	$(BIN)/python -m pytest tests/host/bench -m emu_full

emu-firmware: $(STAMP) ## fetch or build MicroPython for the emulated board, once; prints where it is
	$(BIN)/python -m host_tools.emu.micropython

# A file stays in one process, as its tests share boards; in the order of the folders, so that the long ones of emu begin.
test: $(STAMP) ## run the tests, in a process per core, at most four
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder

typings/.installed: $(STAMP)
	rm -rf typings
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --target typings --no-user micropython-rp2-rpi-pico-stubs==1.29.0.post1
	@touch $@

lint: $(STAMP) typings/.installed ## ruff, and pyright for host and firmware
	@$(BIN)/tumbler boards module pico > typings/tumbler_board.py
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright -p firmware
	$(BIN)/pyright -p host_tools

format: $(STAMP) ## let ruff format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

SEED ?= 1
sim: $(STAMP) ## play rounds among faults on virtual time and show what happened: make sim SEED=n
	@$(BIN)/python -m host_tools.soak sim $(SEED)

MINUTES ?= 10
soak: $(STAMP) ## trials, damaged lines and key presses for MINUTES, going on where the last one ended
	$(BIN)/python -m host_tools.soak soak $(MINUTES)

clean: ## remove what was installed here; stores and captured logs stay
	rm -rf $(VENV) typings .pytest_cache .ruff_cache .hypothesis *.egg-info
