# What a developer does all day; `make` alone lists it.
PYTHON ?= python3
BIN := .venv/bin
INSTALL := bin/pip install --quiet --disable-pip-version-check --require-hashes
PIP := .venv/$(INSTALL)
UI := $(shell find src/holdfast/web/ui -type f -not -path '*/node_modules/*' 2>/dev/null)
ARGS ?=
# Test processes side by side; the suites share nothing. 0 runs all in one.
WORKERS ?= 2

.DEFAULT_GOAL := help
.PHONY: help up test test-fast check format bench lock pages clean

help: ## list what make can do
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

up: .venv/ready src/holdfast/web/static/index.html ## run the whole system in ./data (ARGS="…" passes options on)
	@$(BIN)/holdfast up $(ARGS)

test: .venv/tests src/holdfast/web/static/index.html ## run every test
	@scripts/system-packages
	@$(BIN)/pytest --numprocesses $(WORKERS) --dist loadfile $(ARGS)

test-fast: .venv/tests ## run the tests that need no running system and no browser
	@$(BIN)/pytest --ignore=tests/system --ignore=tests/docs $(ARGS)

check: .venv/tests ## style, types, import contracts, pages and the documentation's commands
	@scripts/check

format: .venv/tests ## rewrite the code in the house style
	@$(BIN)/ruff check --fix --quiet . || true
	@$(BIN)/ruff format --quiet .

bench: .venv/bench src/holdfast/web/static/index.html ## measure against the peers, print ratios (ARGS=name for one)
	@scripts/bench $(ARGS)

pages: src/holdfast/web/static/index.html ## build the pages

lock: .venv/ready ## pin the newest dependencies that fit
	@scripts/lock

clean: ## remove everything that was built; data stays
	rm -rf .venv dist src/holdfast/web/static src/holdfast/web/ui/node_modules .mypy_cache .ruff_cache .hypothesis

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Holdfast needs Python 3.11 or newer; name one with make PYTHON=…")'
	@$(PYTHON) -m venv .venv

.venv/ready: .venv/bin/python requirements/build.txt pyproject.toml
	@echo "Installing Holdfast into .venv …"
	@$(PIP) --requirement requirements/build.txt
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable .
	@touch $@

.venv/tests: .venv/ready requirements/test.txt requirements/seesaw.txt
	@$(PIP) --requirement requirements/test.txt
	@$(PYTHON) -m venv .venv/seesaw
	@.venv/seesaw/$(INSTALL) --requirement requirements/seesaw.txt
	@touch $@

.venv/bench: .venv/tests requirements/bench.txt
	@$(PIP) --requirement requirements/bench.txt
	@touch $@

src/holdfast/web/static/index.html: .venv/ready scripts/build_pages.py $(UI)
	@$(BIN)/python scripts/build_pages.py
