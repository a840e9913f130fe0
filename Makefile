# Every target sets up what it needs: a Python 3.11+ and make are enough.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMPS := $(VENV)/stamps
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: help install demo serve test coverage fuzz mutants campaign lint bench paper docs gallery picture dist check-wheel check-lowest check-pythons clean

help:
	@echo "make demo     anonymize a real data set and verify the release"
	@echo "make serve    open the page for people who do not type commands"
	@echo "make test     run the tests"
	@echo "make coverage count the lines the tests run, kernels too; fails below 92 %"
	@echo "make fuzz     look for inputs that break a reader (SECONDS=600)"
	@echo "make mutants  break every promise on purpose and see a test fail (20 minutes)"
	@echo "make campaign random graphs and options against the promises, seen from outside (CASES=5000 MINUTES=60)"
	@echo "make install  put shoal into $(VENV)"
	@echo "make lint     ruff and mypy"
	@echo "make bench    measure, and write benchmarks/RESULTS.md (slow)"
	@echo "make paper    the paper's figures and table again, into docs/paper (DATA=folder of the sets)"
	@echo "make docs     build the documentation into docs/_build"
	@echo "make gallery  run the examples of the documentation again, with their pictures (DATA=folder of the sets)"
	@echo "make picture  draw the README's picture again"
	@echo "make dist     wheel and sdist into dist/"
	@echo "make check-wheel, check-lowest, check-pythons"
	@echo "              the wheel in an empty environment, the oldest dependencies, every Python that is here"

$(STAMPS)/venv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "shoal needs Python 3.11 or newer: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@mkdir -p $(STAMPS) && touch $@

# One stamp per extra, renewed when the project's requirements change; each installs the package itself, too.
$(STAMPS)/core: pyproject.toml $(STAMPS)/venv
	$(PIP) -e .
	@touch $@

# pyCANON pins versions of everything it might use, so it comes alone; a test lets it count our tables again.
$(STAMPS)/test: pyproject.toml $(STAMPS)/venv
	$(PIP) -e ".[test]"
	@$(PIP) --no-deps pycanon || echo "(pyCANON could not be installed: its test is left out)"
	@touch $@

$(STAMPS)/%: pyproject.toml $(STAMPS)/venv
	$(PIP) -e ".[$*]"
	@touch $@

install: $(STAMPS)/core
	$(BIN)/shoal warm
	@echo "shoal is ready: $(BIN)/shoal --help"

# The demo data is optional: without it `shoal demo` makes a synthetic graph and says so.
demo: $(STAMPS)/core
	@test -e $(STAMPS)/demo || { $(PIP) -e ".[demo]" && touch $(STAMPS)/demo; } || echo "(the demo data set could not be installed)"
	$(BIN)/shoal demo --force -o demo-release

serve: $(STAMPS)/web
	@test -e $(STAMPS)/demo || { $(PIP) -e ".[demo]" && touch $(STAMPS)/demo; } || echo "(the demo data set could not be installed)"
	$(BIN)/shoal serve

# Tests start many processes, which would compile the same sources again where Python is told to keep nothing.
test: $(STAMPS)/test
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n auto --dist worksteal $(ARGS)

# All tests, then those of the kernels once more as plain Python, so that their lines count.
KERNELS := tests/group tests/realize tests/rebuild tests/measure tests/audit
coverage: $(STAMPS)/coverage
	$(BIN)/python -m pytest -n auto -q --cov --cov-report= $(ARGS)
	SHOAL_UNCOMPILED=1 SHOAL_EXAMPLES=10 $(BIN)/python -m pytest -n auto -q --cov --cov-append --cov-report=term --cov-fail-under=92 $(KERNELS)

SECONDS := 600
TARGETS := contacts tagged database shards people times release record kept upload request
fuzz: $(STAMPS)/fuzz
	for target in $(TARGETS); do \
	  $(BIN)/python fuzz/targets.py $$target -max_total_time=$$(( $(SECONDS) / $(words $(TARGETS)) )) -verbosity=0 || exit 1; \
	done

mutants: $(STAMPS)/test
	$(BIN)/python fuzz/mutants.py $(ARGS)

CASES   := 5000
MINUTES := 60
campaign: $(STAMPS)/test
	$(BIN)/python fuzz/campaign.py --cases $(CASES) --minutes $(MINUTES) $(ARGS)

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

gallery: $(STAMPS)/test
	SHOAL_DATA=$(abspath $(DATA)) $(BIN)/python docs/worked.py
	$(BIN)/python docs/stage_pictures.py

picture: $(STAMPS)/demo
	$(BIN)/python docs/picture.py

dist: $(STAMPS)/test
	rm -rf dist
	$(BIN)/python -m build --outdir dist

# A new environment outside this folder, with nothing but the wheel and what it asks for.
check-wheel: dist
	folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && $(PYTHON) -m venv "$$folder/env" \
	&& "$$folder/env/bin/pip" install --quiet "$$(echo $(CURDIR)/dist/shoal-*.whl)[all]" \
	&& cd "$$folder" && env/bin/shoal --help >/dev/null && env/bin/shoal demo -o release && env/bin/shoal verify release \
	&& env/bin/shoal datasets >/dev/null && env/bin/python -c 'import shoal; print(shoal.__version__, "runs from", shoal.__file__)'

# The lowest version of every dependency that pyproject.toml allows; old packages may warn of their own old age.
# ARGS="tests/read tests/realize" for a part of the tests.
check-lowest: $(STAMPS)/venv
	$(PIP) uv
	folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && $(PYTHON) -m venv "$$folder/env" \
	&& $(BIN)/uv pip install --quiet --compile-bytecode --python "$$folder/env" --resolution lowest-direct ".[test,all]" \
	&& NUMBA_CACHE_DIR="$$folder/numba" "$$folder/env/bin/python" -m pytest -q -n auto -p no:cacheprovider -o filterwarnings=default $(or $(ARGS),tests)

# ARGS as above. PYTHONS="python3.12 /opt/python3.13/bin/python" names others.
PYTHONS ?= python3.11 python3.12 python3.13
check-pythons: $(STAMPS)/venv
	@for python in $(PYTHONS); do \
	  "$$python" -c '' 2>/dev/null || { echo "$$python: not here"; continue; }; \
	  folder=$$(mktemp -d) && "$$python" -m venv "$$folder/env" \
	  && "$$folder/env/bin/pip" install --quiet ".[test,all]" \
	  && NUMBA_CACHE_DIR="$$folder/numba" "$$folder/env/bin/python" -m pytest -q -n auto -p no:cacheprovider $(or $(ARGS),tests) \
	  && echo "$$python: passed" || { echo "$$python: FAILED"; rm -rf "$$folder"; exit 1; }; rm -rf "$$folder"; \
	done

clean:
	rm -rf $(VENV) docs/_build demo-release dist
