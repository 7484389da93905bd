# Sets itself up in .venv; needs Python 3.11+ with venv, nothing else.
PYTHON ?= python3
READY := .venv/.ready

.PHONY: setup demo test check docs torture clean

setup: $(READY)

demo: $(READY)
	.venv/bin/codriver demo

test: $(READY)
	scripts/test

check: $(READY)
	scripts/check

$(READY): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "codriver needs Python 3.11 or newer: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	$(PYTHON) -m venv .venv
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

docs: $(READY)
	scripts/site

torture: $(READY)
	.venv/bin/python -m tests.torture $(TORTURE)

clean:
	rm -rf .venv build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
