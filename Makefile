# The two commands that matter to a newcomer are `make demo` and `make test`; `make help` lists the rest.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help setup check format e2e test acceptance demo image bench soak lock crds clean

VENV := .venv
RUN := $(VENV)/bin/
READY := $(VENV)/.ready
SIDE_BY_SIDE := -n 2 --dist loadscope  # journeys wait more than they work
DECISIONS := src/liqo/rules/*,src/liqo/webhooks/quota/claim.py,src/liqo/webhooks/quota/decision.py,src/liqo/webhooks/quota/tally.py,src/liqo/kubelet/namespaces.py,src/liqo/kubelet/atlas.py,src/liqo/kubelet/pods/*,src/liqo/kubelet/reflect/*,src/liqo/plugin/address.py,src/liqo/plugin/judgement.py,src/liqo/plugin/messages.py,src/liqo/provider/share/*,src/liqo/runtime/queue.py,src/liqo/runtime/execute.py,src/liqo/runtime/requests.py,src/liqo/runtime/memory.py,src/liqo/runtime/events.py

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(READY): requirements.lock pyproject.toml scripts/setup
	@scripts/setup $(VENV)
	@touch $@

setup: $(READY) ## everything a fresh machine needs: packages, Python environment, Kubernetes
	@$(RUN)liqoctl playground setup

check: $(READY) ## format, lint, types, import rules, unit tests; under a minute
	@$(RUN)ruff format --check --quiet || { echo "run: make format"; exit 1; }
	@$(RUN)ruff check --quiet
	@$(RUN)mypy
	@$(RUN)lint-imports --no-logo
	@$(RUN)coverage run -m pytest tests/unit tests/test_architecture.py -q
	@$(RUN)coverage report
	@$(RUN)coverage report --fail-under=100 --include="$(DECISIONS)" > /dev/null \
	    || { echo "every branch of the decisions must be tested: see the lines above"; exit 1; }

format: $(READY) ## let ruff write the format and the simple fixes
	@$(RUN)ruff format --quiet
	@$(RUN)ruff check --fix --quiet

e2e: setup ## the journeys, on real clusters
	@$(RUN)pytest tests/e2e -q $(SIDE_BY_SIDE)

test: check e2e ## check, then everything on real clusters: what CI runs

acceptance: setup ## the rows of docs/acceptance.md: passes, fails, not yet
	@$(RUN)pytest tests --acceptance -q $(SIDE_BY_SIDE)

demo: $(READY) ## three real clusters, one running pods in another: docs/tutorial.md told and run
	@$(RUN)liqoctl playground demo

image: $(READY) ## the product's image, as an archive for ctr, docker load and kind load
	@$(RUN)liqoctl playground image

bench: setup ## measure, print a table, write bench/results.json; ONLY=name runs one
	@$(RUN)python -m bench $(ONLY)

soak: setup ## the journeys with more seeds and more rounds
	@$(RUN)pytest tests/e2e --soak -q $(SIDE_BY_SIDE)

lock: $(READY) ## write the lock files anew
	@scripts/lock

crds: $(READY) ## render deploy/crds/ from the models
	@$(RUN)python -m liqo.api.crds deploy/crds

clean: ## remove what make built here; the cache of binaries stays
	@rm -rf $(VENV) build .coverage .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
