# On a fresh machine with Python 3.11 or newer, make and git: `make demo` and `make test`, in any order.
# Set-up happens by itself, once, in $(VENV); after it only `make test-matrix` and `make build` need a network.

PYTHON ?= python3
# Of the interpreters present, the newest: the far end of `make test-matrix`.
NEWEST_PYTHON ?= $(shell .ci/newest-python $(PYTHON))
VENV ?= .venv
# Tests are halved between two processes: many start programs of their own, so more would crowd a small machine.
IN_PARALLEL := --numprocesses 2

PIP_INSTALL := -m pip install --quiet --disable-pip-version-check --build-constraint constraints/tools.txt
TRAIN := PYTHONPATH=src training/.venv/bin/python -m training
PACKAGE := pyproject.toml constraints/runtime.txt constraints/tools.txt

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: model help setup demo test bench soak fuzz coverage test-matrix lint format typecheck docs pictures build check-release ci clean

help: ## List these targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1	\2/p' $(MAKEFILE_LIST) | expand -t 22

setup: $(VENV)/.tools ## Make .venv with the package and every tool (the targets below do it themselves)

demo: $(VENV)/.package ## Search this repository and Python's standard library with the local judge
	$(VENV)/bin/smart-search find 'drop matches that overlap a better one' .
	$(VENV)/bin/smart-search find 'remove expired cookies from the jar' \
		"$$($(VENV)/bin/python -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')"

test: $(VENV)/.tools ## Run every test, measuring coverage
	$(VENV)/bin/python -m pytest $(IN_PARALLEL) --cov --cov-report= --cov-fail-under=0

# BENCH_PEER names an environment that has the peer already; else one is made.
BENCH_PEER ?= .cache/bench/peer
bench: $(VENV)/.tools $(BENCH_PEER)/bin/python ## Measure this and pydantic-ai-harness on pinned trees from PyPI: minutes, a network
	$(VENV)/bin/python benchmarks/peer.py --peer-python $(BENCH_PEER)/bin/python --far --sizes 300 600 1200 2400 \
		--out benchmarks/results/$$(date +%F)-$$(git rev-parse --short HEAD).json

.cache/bench/peer/bin/python:
	$(PYTHON) -m venv .cache/bench/peer
	.cache/bench/peer/bin/python -m pip install --quiet --disable-pip-version-check pydantic-ai-harness==0.62.0

soak: $(VENV)/.tools ## Search for minutes with a judge that misbehaves, and print figures (SOAK_OUT=file.json keeps them)
	$(VENV)/bin/python -m pytest -m soak -s

fuzz: $(VENV)/.tools ## Look for files and trees that break a law, for minutes (FUZZ_EXAMPLES=1000)
	$(VENV)/bin/python -m pytest -m fuzz --timeout=0 --hypothesis-profile=default tests/fuzz

coverage: $(VENV)/.tools ## Fail unless the last `make test` reached every branch
	$(VENV)/bin/coverage report

test-matrix: $(VENV)-oldest/.tests $(VENV)-newest/.tests ## Run every test on the oldest and the newest Python and releases
	$(VENV)-oldest/bin/python -m pytest $(IN_PARALLEL)
	$(VENV)-newest/bin/python -m pytest $(IN_PARALLEL)

lint: $(VENV)/.tools ## Check style, format and the layers
	$(VENV)/bin/ruff check
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/lint-imports

format: $(VENV)/.tools ## Put style and format right where a tool can
	$(VENV)/bin/ruff check --fix
	$(VENV)/bin/ruff format

typecheck: $(VENV)/.tools ## Check types, and that all that users can import has them
	$(VENV)/bin/basedpyright
	@report=$$(PATH="$(abspath $(VENV))/bin:$$PATH" basedpyright --verifytypes pydantic_ai_smart_search --ignoreexternal) \
		|| { echo "$$report"; exit 1; }

docs: $(VENV)/.tools ## Build the site into site/, which loads nothing from elsewhere
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/mkdocs build --strict --quiet
	@! grep -rnE '<(script|link|img|iframe)[^>]*(src|href)="?(https?:)?//' --include='*.html' site

pictures: $(VENV)/.tools ## Draw the pictures of the docs again, from benchmarks/results
	$(VENV)/bin/python -m benchmarks.pictures

DIST ?= dist
build: $(VENV)/.tools ## Build the wheel and the source distribution into dist/
	PIP_CONSTRAINT=constraints/tools.txt $(VENV)/bin/python -m build --outdir $(DIST)

check-release: $(VENV)/.tools ## Build and install wheel and source on every supported Python that is here: minutes, a network
	$(VENV)/bin/python -m pytest -m release -rs

ci: lint typecheck test coverage docs demo test-matrix ## Everything that has to pass

model: training/.venv/.ready ## Train the embedding again from its pinned packages: minutes, a network and npm
	$(TRAIN).fetch training/sources.toml training/.cache/archives
	$(TRAIN).extract training/.cache/archives training/.cache/pairs.jsonl.gz --exclude training/excluded.txt
	$(TRAIN).train training/.cache/pairs.jsonl.gz --out src/pydantic_ai_smart_search/embedding/model.npz
	$(TRAIN).notice training/sources.toml NOTICE

training/.venv/.ready: training/requirements.txt
	$(PYTHON) -m venv training/.venv
	training/.venv/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

clean: ## Remove the environments and everything built
	rm -rf $(VENV) $(VENV)-oldest $(VENV)-newest training/.venv .cache/bench .coverage* .hypothesis .import_linter_cache .pytest_cache .ruff_cache build dist site

# One environment for people, stamped so that the next call starts at once: first the package with its extras (`demo`
# needs no more), then the tools. The pip that comes with Python 3.11 knows neither --group nor --build-constraint.

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo 'Python 3.11 or newer is needed: make PYTHON=python3.12 ...' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' \
		|| { echo 'This Python has no venv: install your system'\''s package for it, such as python3-venv.' >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.package: $(VENV)/bin/python $(PACKAGE)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints/tools.txt pip
	$(VENV)/bin/python $(PIP_INSTALL) --constraint constraints/tools.txt --constraint constraints/runtime.txt --editable '.[all]'
	@touch $@

$(VENV)/.tools: $(VENV)/.package
	$(VENV)/bin/python $(PIP_INSTALL) --constraint constraints/tools.txt --constraint constraints/runtime.txt --group dev
	@touch $@

# Two environments for `test-matrix`. They hold the built package, not the source tree, so that a wheel that lacks a
# file fails here.

$(VENV)-oldest/.tests: MATRIX_PYTHON = $(PYTHON)
$(VENV)-oldest/.tests: MATRIX_PINS = --constraint constraints/oldest.txt
$(VENV)-newest/.tests: MATRIX_PYTHON = $(NEWEST_PYTHON)
$(VENV)-newest/.tests: MATRIX_PINS = --upgrade

$(VENV)-oldest/.tests $(VENV)-newest/.tests: $(PACKAGE) constraints/oldest.txt $(shell find src -type f -not -path '*/__pycache__/*')
	$(MATRIX_PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints/tools.txt pip
	$(@D)/bin/python $(PIP_INSTALL) --constraint constraints/tools.txt $(MATRIX_PINS) '.[all]' --group test
	@touch $@
