# Storykeep: the commands that a person types. What they do is in scripts/.

.PHONY: help demo cluster-demo test test-anywhere build install deb test-deb test-container dist test-dist lint gates
.PHONY: clean
.PHONY: power faults kills rot hostile races models simulation simulation-node simulation-nodes fuzz sanitizers
.PHONY: soak stopped-disk cluster-chaos
.PHONY: bench bench-quick bench-models bench-find bench-page bench-cluster bench-latency bench-scale bench-report
.PHONY: figures

# Beside the compiler: the builders of the packages, and of the image where root makes it. Npm comes with Node's own
# packages, which do not go with Debian's.
DIST_PACKAGES = python3-hatchling debootstrap umoci $(shell command -v npm >/dev/null || echo npm)

help: ## what there is to make
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 24

demo: ## install what is missing, build, run a store with orders, and a model of them, in it, and browse it
	@scripts/demo

cluster-demo: ## three nodes of a log over etcd, a writer, and keys that kill the leader, cut it off and bring it back
	@scripts/cluster-demo

test: ## everything that CI runs: build, lint, unit tests, scenarios with the real daemon
	@scripts/test

test-anywhere: ## the same RUNS=10 times in a fresh clone on a busy machine; IN=chroot: without /dev/shm and HOME, wants root
	@scripts/test-anywhere

build: ## the programs, optimised, in .build/release
	@scripts/install
	@scripts/build programs -c release

install: ## programs without need of a toolchain, manual pages, completions, units, below PREFIX=/usr/local
	@scripts/install
	@scripts/stage

deb: ## a Debian package of the same
	@scripts/install
	@scripts/deb

test-deb: ## that package installed in a clean Debian and tried there; wants root and debootstrap
	@scripts/test-deb

test-container: ## the container image's recipe tried in a clean Debian; wants root and debootstrap
	@scripts/test-container

dist: ## dist/: a tarball for any Linux, the Debian package, packages for Python and Node, an image, checksums
	@scripts/install $(DIST_PACKAGES)
	@scripts/dist

test-dist: ## dist/ tried in clean systems that never saw Swift; wants root and debootstrap
	@scripts/test-dist

gates: ## what an event costs in allocations, system calls, syncs, beside the limits
	@scripts/gates

power: ## power failures: some 25,000 images of what a disk may hold then, each opened and checked
	@scripts/long power

faults: ## each call of a store's life fails, and 5,000 pairs of them; takes half an hour
	@scripts/long faults

kills: ## 1,000 kills under load, and kills before and after 2,000 calls; takes an hour
	@scripts/long kills

rot: ## thousands of damaged stores: nothing wrong is served, nothing ends the daemon; about half an hour
	@scripts/long rot

hostile: ## clients that mean no good, wrong clocks, any LINES=10000000 lines under AddressSanitizer; an hour
	@scripts/long hostile
	@scripts/long lines

races: ## a million writes cut off and repeated, ten thousand switches, turns undone, at length
	@scripts/long races

models: ## any definitions, events and questions beside a plain model: TRIALS=100000, or SEED=N; half an hour
	@scripts/long models

simulation: ## the daemon on a simulated disk, clock and sockets: 100,000 seeds, or SEEDS=A...B; half an hour
	@scripts/long simulation

simulation-node: ## the daemon as a node, over an ordering service that loses and delays calls: 100,000 seeds, or SEEDS=A...B; an hour
	@scripts/long simulation-node

simulation-nodes: ## two or three nodes of one log over one such ordering service, through crashes and cuts: SEEDS=1...100000; three hours
	@scripts/long simulation-nodes

soak: ## mixed load for MINUTES=60, memory and descriptors flat; each run goes on with the store of the last one
	@scripts/long soak

cluster-chaos: ## nodes and etcd killed, paused and cut off under load, CYCLES=100 times; takes about ten minutes
	@scripts/long chaos

stopped-disk: ## file systems that go down under load, STOPS=60 times each, and come back; wants root
	@scripts/long stopped-disk

fuzz: ## any bytes into whatever reads bytes, with libFuzzer: RUNS=10000000 inputs each
	@scripts/fuzz

sanitizers: ## the tests under AddressSanitizer, ThreadSanitizer, UndefinedBehaviorSanitizer
	@scripts/sanitizers

bench: ## this store beside its peers, every row with a verdict; wants a quiet machine
	@scripts/bench

bench-quick: ## the same, in short
	@scripts/bench --quick

bench-models: ## what declared models cost beside a store without, with a verdict for each bar
	@scripts/bench models

bench-cluster: ## a log of several nodes beside its etcd, with a verdict for each bar; about four minutes
	@scripts/bench cluster

bench-find: ## searches of words beside their bars, and the loads of S4 and S10 with an index; about two minutes
	@scripts/bench find

bench-page: ## the page in a browser beside its bars: paints, times of arrival, 50 idle pages; wants a quiet machine
	@scripts/bench page

bench-latency: ## what one client waits for beside other work
	@scripts/bench latency

bench-scale: ## figures at 100,000 to 10,000,000 events, many connections, large events
	@scripts/bench scale

bench-report: ## the newest runs' tables and plots into bench/README.md
	@scripts/bench report

figures: ## the daemon's figures, read by a strict parser of OpenMetrics and by promtool, which tries the alerts
	@scripts/figures

lint: ## the style of the code, and the words of comments and documents
	@scripts/lint

clean: ## remove what was built and the demo's store
	rm -rf .build demo dist
