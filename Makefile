# Every target sets up what it needs in .venv on its first call, and needs no network after that.
.PHONY: help demo play test test-slow lint format bench warmup clean

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
UV := $(shell command -v uv 2>/dev/null)

# The page's modules are checked where a TypeScript compiler is installed.
TSC := $(or $(shell command -v tsc 2>/dev/null),@echo "tsc is not installed: the page's types are not checked";:)

ifdef UV
INSTALL := $(UV) pip install --quiet --python $(RUN)
CREATE := $(UV) venv --quiet --python $(PYTHON) $(VENV)
else
INSTALL := $(RUN) -m pip install --quiet --disable-pip-version-check
CREATE := $(PYTHON) -m venv $(VENV)
endif

help:
	@echo "make demo    a net learns Ur from nothing, and meets the champion"
	@echo "make play    open the page: play, analyse and watch it learn in a browser"
	@echo "make test    run the tests, but for those that take minutes: make test-slow"
	@echo "make lint    check style and types"
	@echo "make bench   measure rules, search, arena, learning and solving beside others"
	@echo "make clean   remove the virtual environment"

demo: $(VENV)/.for-use
	$(VENV)/bin/astragal demo

play: $(VENV)/.for-playing
	$(VENV)/bin/astragal serve

test: $(VENV)/.for-development
	$(VENV)/bin/astragal warmup
	$(RUN) -m pytest

test-slow: $(VENV)/.for-development
	$(RUN) -m pytest -m slow

lint: $(VENV)/.for-development
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy
	$(TSC) --project src/astragal/serve/static

format: $(VENV)/.for-development
	$(RUN) -m ruff check --fix .
	$(RUN) -m ruff format .

bench: $(VENV)/.for-development
	$(RUN) benchmarks/rules.py
	$(RUN) benchmarks/search.py
	$(RUN) benchmarks/arena.py
	$(RUN) benchmarks/learning.py
	$(RUN) benchmarks/solving.py
	$(RUN) benchmarks/scale.py
	$(RUN) benchmarks/page.py

warmup: $(VENV)/.for-use
	$(VENV)/bin/astragal warmup

clean:
	rm -rf $(VENV)

$(RUN):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Astragal needs Python 3.11 or later; PYTHON=... names another."; exit 1; }
	@echo "Setting up $(VENV)..."
	$(CREATE)

$(VENV)/.for-use: pyproject.toml | $(RUN)
	@echo "Installing Astragal..."
	$(INSTALL) --editable .
	@touch $@

$(VENV)/.for-playing: pyproject.toml | $(RUN)
	@echo "Installing Astragal and its page..."
	$(INSTALL) --editable '.[serve]'
	@touch $@ $(VENV)/.for-use

$(VENV)/.for-development: pyproject.toml | $(RUN)
	@echo "Installing Astragal and its tools for development..."
	$(INSTALL) --editable '.[dev]'
	@touch $@ $(VENV)/.for-use $(VENV)/.for-playing
