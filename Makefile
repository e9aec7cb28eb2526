# make run    a server with the small starter voice, in an environment of its own; no download   (URI=..., ARGS="--slots 4 ...")
# make serve  the same with real models, English unless ARGS says otherwise; downloads them
# make test   all tests                                              (PYTEST_ARGS="-k settings ...")
# make check  what CI runs: format, lint, types, tests
# make bench  speed and memory against the pocket-tts package, ten to fifteen minutes   (FIGURES="int8 processes", ARGS="--plot speed.png")
# make voice-eval  the starter voice against its teacher, by ear and by a recogniser; needs flite     (ARGS="--count 20 --voices slt")
# make browser-test  the page in a headless Chromium, which it has apt install where there is none; SAVE_PICTURES=1 renews docs/page.png
# make image-test    build the image without Docker and run it       (root, Debian; IMAGE_TEST_ARCH=arm64, see docs/release.md)
# make addon-local   dist/addon-local: a folder to copy to Home Assistant's /addons
# make lock   resolve pyproject.toml anew into the two lock files    (needs Python 3.11 or newer)
#
# PYTHON chooses the interpreter, VENV the folder, PIP_ARGS goes to every pip (an index with CPU builds of torch, for example).

PYTHON ?= python3
VENV ?= .venv
URI ?= tcp://0.0.0.0:10200
ARGS ?=
PIP_ARGS ?=
PYTEST_ARGS ?=
FIGURES ?=
LOCK_ARGS ?=

# What the native kernels are built of, where there is a C compiler.
NATIVE := hatch_build.py $(wildcard wyoming_pocket_tts/engine/native/*.[ch])

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check

.DELETE_ON_ERROR:
.PHONY: help run serve venv venv-dev test check bench format lint types lock wheel image-test addon-local clean browser-test voice-eval

help:
	@sed -n 's/^# \{0,1\}//p; /^$$/q' Makefile

run: venv
	exec $(BIN)/wyoming-pocket-tts serve --language starter --uri $(URI) $(ARGS)

serve: venv
	exec $(BIN)/wyoming-pocket-tts serve --uri $(URI) $(ARGS)

venv: $(VENV)/.runtime
venv-dev: $(VENV)/.development

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "Python 3.10 or newer is needed: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	@touch $@

# torch first, and by its exact version: pip would otherwise be free to bring another one.
$(VENV)/.packages: $(VENV)/.created requirements.lock
	grep '^torch==' requirements.lock > $(VENV)/torch.txt
	$(PIP) install --quiet $(PIP_ARGS) -r $(VENV)/torch.txt
	$(PIP) install --quiet $(PIP_ARGS) -r requirements.lock
	@touch $@

# pip keeps a build's warnings to itself.
$(VENV)/.runtime: $(VENV)/.packages pyproject.toml $(NATIVE)
	$(PIP) install --quiet $(PIP_ARGS) --no-deps -e .
	@test -e wyoming_pocket_tts/engine/native/libkernels.so || echo 'Without native kernels (no C compiler, or it failed: pip install -v -e . tells): speech is made more slowly.'
	@touch $@

$(VENV)/.development: $(VENV)/.runtime requirements-dev.lock
	$(PIP) install --quiet $(PIP_ARGS) -r requirements.lock -r requirements-dev.lock
	$(PIP) check
	@touch $@

test: venv-dev
	$(BIN)/python -m pytest $(PYTEST_ARGS)

browser-test: venv-dev
	command -v chromium > /dev/null || apt-get install --yes chromium
	$(BIN)/python -m pytest tests/browser $(PYTEST_ARGS)

check: lint types test

bench: venv-dev
	$(BIN)/python -m bench $(FIGURES) $(ARGS)

voice-eval: venv-dev
	nice $(BIN)/python -m training.evaluate $(ARGS)

lint: venv-dev
	$(BIN)/ruff format --check
	$(BIN)/ruff check

types: venv-dev
	$(BIN)/mypy

format: venv-dev
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

lock:
	$(PYTHON) scripts/lock.py $(LOCK_ARGS)

# For this kind of machine, where there is a C compiler; for all of them: WYOMING_POCKET_TTS_NATIVE=0 make wheel.
wheel: $(VENV)/.created
	$(PIP) wheel --quiet $(PIP_ARGS) --no-deps --wheel-dir dist .

image-test: venv-dev
	IMAGE_TEST=1 nice $(BIN)/python -m pytest tests/image -s $(PYTEST_ARGS)

# With Python alone: whoever copies the add-on to a home need not install what it runs on.
addon-local:
	$(PYTHON) scripts/addon_local.py dist/addon-local/pocket_tts

clean:
	rm -f wyoming_pocket_tts/engine/native/libkernels.so
	rm -rf $(VENV) dist build .mypy_cache .pytest_cache .ruff_cache .hypothesis
