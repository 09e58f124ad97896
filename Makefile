# Two commands matter: make lab and make test. What they install goes into .lab; beyond that, make test and
# make check-all, run by root on Debian or Ubuntu, install missing packages.

SHELL := bash
.NOTPARALLEL:
.DELETE_ON_ERROR:
.SECONDEXPANSION:

LAB    := $(CURDIR)/.lab
OUT    := $(LAB)/out
PYTHON := $(LAB)/venv/bin/python
export PATH := $(LAB)/bin:$(PATH)
# A place of our own for kernels: the user's stay as they are.
export JUPYTER_DATA_DIR := $(LAB)/jupyter

# playground.ipynb is left out: playground-test runs it, and the page that it shows, 3 MB, isn't kept in it.
NOTEBOOKS := $(filter-out notebooks/playground.ipynb,\
             $(wildcard notebooks/*.ipynb notebooks/lessons/*.ipynb notebooks/lessons/solutions/*.ipynb))
EXECUTE   := $(PYTHON) -m nbconvert --to notebook --execute --ExecutePreprocessor.timeout=600 \
             --ExecutePreprocessor.startup_timeout=60 --ExecutePreprocessor.record_timing=False
HOURS     ?= 1
PKG       ?= ./...
BENCH     ?= .
COUNT     ?= 6
CHECKS    ?= 1000
ARM64     ?= ./forest/... ./sim
PLATFORMS := linux/amd64 darwin/arm64 windows/amd64

.PHONY: help lab test check-all setup check platforms unit race soak notebooks-test browser-test complete-test \
        explore-test playground-test onnx-test bytes-test arm64-test notebooks experiments reproduction bench clean

help:
	@echo "make lab        open JupyterLab on notebooks/quickstart.ipynb (PORT=8888, LAB_ARGS=...)"
	@echo "make test       check the code, and run all tests, all notebooks, and the quickstart in a browser"
	@echo "make check-all  check what make test leaves out: platforms race bytes-test arm64-test gpu-test onnx-test"
	@echo "                complete-test explore-test playground-test cluster-test; each is a target, too"
	@echo
	@echo "make notebooks    execute the notebooks and keep their outputs, for committing (NOTEBOOKS=...)"
	@echo "make experiments  do runs of the papers' experiments that are open (HOURS=1, PART=1/2: docs/results/README.md)"
	@echo "make reproduction write docs/reproduction.md anew, after results or experiments have changed"
	@echo "make bench        run the Go benchmarks, in benchstat's form (PKG=./..., BENCH=regexp, COUNT=6)"
	@echo "make peers        measure us and our peers on the same jobs; write docs/results/benchmarks.md (PEERS='-jobs …')"
	@echo "make soak         run the packages whose tests draw at random with new draws (CHECKS=1000 of each)"
	@echo "make site         build the site into .lab/out/site (site-test tries it in a browser, for half an hour)"
	@echo "make spark        start a small Spark here, for notebooks/cluster.ipynb (SPARK_PORT=15002; control-C ends it)"
	@echo "make clean        remove .lab"
	@echo
	@echo "OBLIQUA_DATA=folder turns on the tests on data sets that the library does not hold."

# A cell is a program that is linked anew; without symbols for a debugger that takes half the time.
lab notebooks notebooks-test browser-test complete-test explore-test playground-test: \
	export GOFLAGS = $(shell go env GOFLAGS 2>/dev/null) '-ldflags=-s -w'

# Where somebody types, the kernel finds gopls, for Tab and Shift-Tab. Elsewhere it would start it in vain.
lab complete-test: export PATH := $(LAB)/bin:$(LAB)/deps:$(PATH)

lab: setup $(LAB)/gopls
	@[ -n "$$DISPLAY$$WAYLAND_DISPLAY" ] || [ "$$(uname)" = Darwin ] || set -- --no-browser; \
	[ "$$(id -u)" != 0 ] || set -- "$$@" --allow-root; \
	exec $(PYTHON) -m jupyterlab "$$@" $(if $(PORT),--port=$(PORT)) \
		--LabApp.default_url=/lab/tree/notebooks/quickstart.ipynb $(LAB_ARGS)

test: check unit notebooks-test browser-test
	@echo
	@echo "== Summary of go test"
	@grep -v 'no test files' $(OUT)/unit.txt
	@[ -n "$$OBLIQUA_DATA" ] || \
	echo "OBLIQUA_DATA is unset: tests on data sets that the library does not hold were skipped."
	@echo "All checks passed. make check-all checks what takes longer."

# The engine and the arithmetic alone: bytes-test compares what learners make of them.
check-all: ARM64 = ./forest/internal/...
check-all: platforms race bytes-test arm64-test gpu-test onnx-test complete-test explore-test playground-test \
           cluster-test
	@echo
	@echo "== Summary of go test -race"
	@grep -v 'no test files' $(OUT)/race.txt
	@echo "All of make check-all passed."

check: $(LAB)/go
	@echo "== gofmt and go vet"
	@unformatted=$$(find . -name '.?*' -prune -o -name '*.go' -print0 | xargs -0 gofmt -l) && \
	if [ -n "$$unformatted" ]; then echo "gofmt would change:"; echo "$$unformatted"; exit 1; fi
	@go vet ./...
	@go vet -C cluster/spark ./...

# Compiling is all that is checked, without optimising, to save time. Left out are tools, notebooks and viz, which take
# half as long again; in a page, cells call nb and viz, and the tag leaves PDF, EPS and TeX out of plots.
PORTABLE := ./forest/... ./sim ./datasets ./datasets/public
QUICK    := -gcflags='all=-N -l'

platforms: $(LAB)/go
	@echo "== go build for other platforms"
	@host=$$(go env GOHOSTOS)/$$(go env GOHOSTARCH); \
	for platform in $(PLATFORMS); do \
		[ $$platform = $$host ] || GOOS=$${platform%/*} GOARCH=$${platform#*/} go build $(QUICK) $(PORTABLE) || exit 1; \
	done
	@GOOS=js GOARCH=wasm go build $(QUICK) -tags minimal $(PORTABLE) ./notebooks/nb ./viz ./internal/notebook

unit: $(LAB)/go
	@echo "== go test"
	@set -o pipefail; { go test ./... && go test -C cluster/spark ./...; } | tee $(OUT)/unit.txt

# The race detector is the one thing here that needs a C compiler. -short, because reading all of the real data
# under it takes six minutes and runs the same code. The tests of tools mostly start compilers; sim, the papers' rooms,
# figures and the drawing engine run nothing in parallel; and compiling Arrow for it takes more than a minute, for
# columns that cluster/tables reads side by side.
race: need-gcc
	@echo "== go test -race"
	@set -o pipefail; \
		packages=$$(go list ./... | grep -v '/tools/\|/sim$$\|/cluster/tables$$\|/papers/\|/figures\|/viz/internal/engine'); \
		CGO_ENABLED=1 go test -race -short $$packages | tee $(OUT)/race.txt

# Tests that draw at random import internal/steady, so they draw the same cases each time. Here rapid draws new ones. It
# keeps what fails below the package's testdata/rapid, and go test runs it from then on.
soak: $(LAB)/go
	go test -count=1 -timeout 0 \
		$$(go list -f '{{.ImportPath}} {{.TestImports}} {{.XTestImports}}' ./... | grep pgregory.net/rapid | cut -d' ' -f1) \
		-rapid.seed=0 -rapid.checks=$(CHECKS)

onnx-test: $(LAB)/onnx/ready
	@echo "== Exported forests in ONNX Runtime"
	@OBLIQUA_ONNX=$(LAB)/onnx/bin/python go test -count=1 -run=TestRuntime ./forest/onnx

# Two at a time, because a kernel that starts and a cell that is linked leave a core idle.
notebooks-test: setup
	@echo "== Notebooks, executed by a fresh kernel"
	@$(PYTHON) tools/lab/check_test.py
	@printf '%s\n' $(NOTEBOOKS) | xargs -P 2 -I{} tools/lab/notebook.sh {} $(OUT) $(EXECUTE)

browser-test: setup need-chromium
	@echo "== The quickstart in JupyterLab, in a browser"
	@$(PYTHON) tools/lab/browse.py notebooks/quickstart.ipynb $(OUT)/browser
	@$(PYTHON) tools/lab/check.py notebooks/quickstart.ipynb $(OUT)/browser/quickstart.ipynb
	@$(PYTHON) tools/lab/check.py $(OUT)/browser/cell*.png

complete-test: setup need-chromium $(LAB)/gopls
	@echo "== Completion and documentation in JupyterLab, in a browser"
	@$(PYTHON) tools/lab/complete.py $(OUT)/complete

explore-test: setup need-chromium
	@echo "== A slider that is dragged in JupyterLab, in a browser"
	@$(PYTHON) tools/lab/explore.py $(OUT)/explore

playground-test: setup need-chromium
	@echo "== The playground in a browser: alone, in JupyterLab and in exported HTML"
	@go run ./viz/playground/build -o $(OUT)/playground.html
	@$(PYTHON) tools/lab/playground.py $(OUT)/playground.html notebooks/playground.ipynb $(OUT)/playground

# Compiling for arm64 and WebAssembly is most of the time.
bytes-test: need-qemu-aarch64 need-node
	@echo "== The same bytes on arm64, in an emulator, and in WebAssembly"
	@go test -count=1 ./tools/samebytes -everywhere

# arm64 fuses products and sums where code lets it, and has none of the assembly for amd64.
arm64-test: need-qemu-aarch64
	@echo "== Tests for arm64, in an emulator"
	@GOARCH=arm64 go test -short -timeout 30m -exec qemu-aarch64 $(ARM64)

notebooks: setup
	$(EXECUTE) --inplace $(NOTEBOOKS)

# At the lowest priority, so that it can run beside other work. The program is no child of go run, which would end at
# once when it is told to, and leave the program behind.
experiments: $(LAB)/go
	@go build -o $(LAB)/bin/figures ./tools/experiments/run
	@exec nice -n 19 figures -queue docs/results/queue.csv -hours $(HOURS) $(if $(PART),-part $(PART))

reproduction: $(LAB)/go
	@go run ./tools/experiments/page

bench: $(LAB)/go
	@set -o pipefail; go test -run '^$$' -bench '$(BENCH)' -benchmem -count $(COUNT) $(PKG) | tee $(OUT)/bench.txt

clean:
	rm -rf $(LAB)

# What one part alone needs stands beside it.
include gpu/gpu.mk cluster/spark/spark.mk tools/peers/peers.mk tools/site/site.mk

# The kernel is written every time, which takes milliseconds, because it holds this folder's path. The build
# makes the first cell quick; where it fails, JupyterLab may be the place to mend it.
setup: $(LAB)/tools $(LAB)/venv/ready
	@mkdir -p $(LAB)/venv/share/jupyter/lab/settings
	@cp tools/lab/overrides.json $(LAB)/venv/share/jupyter/lab/settings/
	@go build -o $(LAB)/bin/goimports ./tools/goimports
	@$(LAB)/deps/gonb --install --force_deps -raw_error -go_work=$(CURDIR) 2>$(OUT)/kernel.log || \
	{ cat $(OUT)/kernel.log; exit 1; }
	@go build ./... || echo "Obliqua does not compile: cells that import what is broken will fail."

$(LAB)/go:
	@command -v go >/dev/null || \
	{ echo "Go is missing. Please install Go 1.26 or newer (https://go.dev/dl) and run make again."; exit 1; }
	@mkdir -p $(OUT)
	@touch $@

# A program that isn't Go's.
need-%: $(LAB)/go
	@tools/lab/need.sh $*

# GoNB, goimports and gopls are a module of their own: whoever imports the library does not download them, and
# our own tools beside it stay in the main module, where its tests find them. Among these is a goimports that
# the kernel finds first, and that runs the one from here. GoNB is built with our hints inside.
$(LAB)/tools: tools/deps/go.mod tools/deps/go.sum tools/lab/gonb.sh $(wildcard tools/hints/*) | $(LAB)/go
	@echo "Building the Go kernel for Jupyter (about a minute, once)"
	@cd tools/deps && GOBIN=$(LAB)/deps go install golang.org/x/tools/cmd/goimports
	@tools/lab/gonb.sh $(LAB)/deps/gonb
	@touch $@

$(LAB)/gopls: tools/deps/go.mod tools/deps/go.sum | $(LAB)/go
	@echo "Building gopls, for completion (about a minute, once)"
	@cd tools/deps && GOBIN=$(LAB)/deps go install golang.org/x/tools/gopls
	@touch $@

# .lab/NAME is an environment of Python with the packages of requirements-NAME.
requirements-venv := tools/lab/requirements.txt
requirements-onnx := forest/onnx/testdata/requirements.txt

$(LAB)/%/ready: $$(requirements-$$*) | $(LAB)/go
	@tools/lab/need.sh python3
	@python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	{ echo "Obliqua's tools need Python 3.11 or newer; python3 is $$(python3 -V)."; exit 1; }
	@echo "Installing the packages of $< into .lab/$* (a minute or two, once)"
	@python3 -m venv --clear $(LAB)/$* || \
	{ echo "Python cannot make a virtual environment. On Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
	@$(LAB)/$*/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@
