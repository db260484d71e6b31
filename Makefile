# Tasks for contributors. `make help` lists them; `make all` is what CI runs.
PYTHON ?= python

VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: help demo test setup generate fmt lint types layers tests fuzz agreement bench docs site playground samples all

help: ## list the tasks
	@awk -F':.*## ' '/^[a-z]+:.*## /{printf "  %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: ## from nothing: an environment in .venv, the package, the digits sample, its picture
	python3 -m venv $(VENV)
	$(BIN)/python -m pip install --quiet .
	$(BIN)/relax check samples/digits/digits.rlx
	$(BIN)/relax run samples/digits/digits.rlx --npz samples/digits/test.npz
	mkdir -p build
	$(BIN)/relax graph samples/digits/digits.rlx -o build/digits.svg
	@echo "The program as a picture: build/digits.svg"

test: ## from nothing: an environment in .venv, the package with what the tests need, the test suite
	python3 -m venv $(VENV)
	$(BIN)/python -m pip install --quiet -e '.[test]'
	$(BIN)/python -m pytest -n 2

setup: ## install the project with everything contributors need
	$(PYTHON) -m pip install -e '.[dev]'

generate: ## write the generated files: tree, parse table, index of operators, pages
	$(PYTHON) tools/make_tree.py
	$(PYTHON) tools/make_table.py
	$(PYTHON) tools/make_tree_sitter.py
	$(PYTHON) tools/make_operators.py
	$(PYTHON) tools/make_docs.py
	$(PYTHON) tools/make_conformance.py

fmt: ## format the Python code and the samples
	ruff format .
	ruff check --fix .
	$(PYTHON) -m relax_lang fmt samples std

lint: ## ruff
	ruff format --check .
	ruff check .

types: ## pyright, strict
	pyright

layers: ## the floors of ARCHITECTURE.md, and who may import numpy, lark, rich and typer
	lint-imports

tests: ## the test suite in the environment that is active, on two processes
	$(PYTHON) -m pytest -n 2

fuzz: ## the long property tests
	RELAX_NIGHTLY=1 $(PYTHON) -m pytest -n 2 -m slow

agreement: ## nightly, where TVM is: does it agree about the TVMScript in FOLDER?
	$(PYTHON) benchmarks/tvmscript/coverage.py --check $(FOLDER)
	$(PYTHON) benchmarks/tvmscript/agreement.py --units 1000 --at-least 0.9 $(FOLDER)

bench: ## start-up, throughput, compiled PrimFuncs and functions, as ratios
	$(PYTHON) benchmarks/startup.py
	$(PYTHON) benchmarks/frontend.py
	$(PYTHON) benchmarks/kernels.py
	$(PYTHON) benchmarks/operators.py
	$(PYTHON) benchmarks/runtime.py

samples: ## format, check and run the samples
	$(PYTHON) -m relax_lang fmt --check samples
	$(PYTHON) -m relax_lang check samples/*.rlx samples/digits samples/models
	$(PYTHON) -m relax_lang test --split samples/bad/tests

docs: ## are the generated pages current?
	$(PYTHON) tools/make_tree.py --check
	$(PYTHON) tools/make_table.py --check
	$(PYTHON) tools/make_operators.py --check
	$(PYTHON) tools/make_docs.py --check
	$(PYTHON) tools/make_conformance.py --check
	$(PYTHON) tools/make_tree_sitter.py --check

site: ## the documentation as a web site in build/site (needs the extra `site`)
	$(PYTHON) tools/make_site.py

playground: ## the page with Python in the browser, in build/playground (needs `npm ci` in playground/)
	$(PYTHON) tools/make_playground.py

all: lint types layers docs samples tests ## everything CI runs
