# Storykeep: the commands that a person types. What they do is in scripts/.

.PHONY: help demo test build lint gates bench clean

help: ## what there is to make
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 18

demo: ## install what is missing, build, run a store with this repository's history in it
	@scripts/demo

test: ## everything that CI runs: build, lint, unit tests, scenarios with the real daemon
	@scripts/test

build: ## the programs, optimised, in .build/release
	@scripts/install
	swift build -c release

gates: ## what an event costs in allocations, system calls, syncs, beside the limits
	@scripts/gates

lint: ## the code's style
	@scripts/lint

clean: ## remove what was built and the demo's store
	rm -rf .build demo
