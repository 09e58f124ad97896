# Two commands matter: make lab and make test. What they install goes into .lab; beyond that, make test and
# make check-all, run by root on Debian or Ubuntu, install missing packages.

SHELL := bash
.NOTPARALLEL:
.DELETE_ON_ERROR:

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
PIP       := -m pip install --quiet --disable-pip-version-check
HOURS     ?= 1
PKG       ?= ./...
BENCH     ?= .
COUNT     ?= 6
ROUNDS    ?= 5
RUNS      ?= docs/results/peers.csv
MINUTES   ?= 60
CHECKS    ?= 1000
ARM64     ?= ./forest/... ./sim
PLATFORMS := linux/amd64 darwin/arm64 windows/amd64 js/wasm

.PHONY: help spark lab test check-all setup check platforms unit race soak fuzz notebooks-test browser-test \
        complete-test explore-test playground-test cluster-test onnx-test bytes-test arm64-test notebooks experiments \
        reproduction bench peers readers lite lite-test site site-test clean

help:
	@echo "make lab        open JupyterLab on notebooks/quickstart.ipynb (PORT=8888, LAB_ARGS=...)"
	@echo "make test       check the code, and run all tests, all notebooks, and the quickstart in a browser"
	@echo "make check-all  check what make test leaves out, which takes longer; each part is also a target:"
	@echo
	@echo "  platforms     go vet for other systems and processors"
	@echo "  race          the tests with the race detector"
	@echo "  bytes-test    models of all learners on arm64 and WebAssembly are those here (a minute)"
	@echo "  arm64-test    tests of forest/... and sim for arm64 in an emulator (four minutes; check-all runs the engine's)"
	@echo "  gpu-test      the tests of package gpu on an emulated CUDA driver (about a minute)"
	@echo "  onnx-test     exported forests predict in ONNX Runtime what they do here (about a minute)"
	@echo "  complete-test, explore-test, playground-test"
	@echo "                completion, a slider and the playground in a browser"
	@echo "  cluster-test  install Spark into .lab and run the cluster's tests on it, workers killed (two to four minutes)"
	@echo
	@echo "make gokernel-test  run the cells of the quickstart and the lessons in a page, without a server (some minutes)"
	@echo "make soak       run the tests that draw at random with new draws (MINUTES=60, CHECKS=1000 of each)"
	@echo "make fuzz       give readers damaged files, for errors, time and memory (MINUTES=60, all fuzz tests together)"
	@echo "make spark      start a small Spark here, for notebooks/cluster.ipynb (SPARK_PORT=15002; control-C ends it)"
	@echo "make setup      install what the notebooks need into .lab (the first two do it by themselves)"
	@echo "make notebooks  execute the notebooks and keep their outputs, for committing (NOTEBOOKS=...)"
	@echo "make experiments  do runs of the papers' experiments that are open (HOURS=1, PART=1/2: docs/results/README.md)"
	@echo "make reproduction  write docs/reproduction.md anew, after results or experiments have changed"
	@echo "make bench      run the Go benchmarks, in benchstat's form (PKG=./..., BENCH=regexp, COUNT=6)"
	@echo "make peers      measure us and our peers on the same jobs; write docs/results/benchmarks.md (PEERS='-jobs regexp …')"
	@echo "make readers    measure our readers of files and pandas' (ROUNDS=5)"
	@echo "make site       build the site into .lab/out/site, and check its links"
	@echo "make lite-test  open a lesson of the built site and run its first cells in the page (two minutes)"
	@echo "make site-test  build it and look at every page in a browser, at 400 and 1400 pixels (five minutes)"
	@echo "make clean      remove .lab"
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

# What vet needs compiled is not optimised, to save time. Left out are tools, notebooks and viz, which take half as
# long again. They compile everywhere, but for one test: viz sends its own process an interrupt, which Windows has
# not. What cells of a page call is vetted as it is built for them: the tag leaves PDF, EPS and TeX out of plots.
QUICK := -gcflags='all=-N -l'

platforms: $(LAB)/go
	@echo "== go vet for other platforms"
	@host=$$(go env GOHOSTOS)/$$(go env GOHOSTARCH); \
	for platform in $(PLATFORMS); do \
		[ $$platform = $$host ] || GOOS=$${platform%/*} GOARCH=$${platform#*/} \
			go vet $(QUICK) ./forest/... ./sim ./datasets ./datasets/public || exit 1; \
	done
	@GOOS=js GOARCH=wasm go vet $(QUICK) -tags minimal ./notebooks/nb ./viz ./internal/notebook

unit: $(LAB)/go
	@echo "== go test"
	@set -o pipefail; { go test ./... && go test -C cluster/spark ./...; } | tee $(OUT)/unit.txt

# The race detector is the one thing here that needs a C compiler. -short, because reading all of the real data
# under it takes six minutes and runs the same code. The tests of tools mostly start compilers, and nothing in sim
# runs in parallel.
race: $(LAB)/go
	@echo "== go test -race"
	@tools/lab/need.sh gcc gcc libc6-dev
	@set -o pipefail; packages=$$(go list ./... | grep -v '/tools/\|/sim$$'); \
		CGO_ENABLED=1 go test -race -short $$packages | tee $(OUT)/race.txt

# Tests that draw at random import internal/steady, so they draw the same cases each time. Here rapid draws new ones. It
# keeps what fails below the package's testdata/rapid, and go test runs it from then on.
soak: $(LAB)/go
	@over() { [ $$SECONDS -ge $$(($(MINUTES) * 60)) ]; }; \
	imports='^[[:space:]]*"pgregory.net/rapid"$$'; \
	folders=$$(grep -rlE --include='*_test.go' "$$imports" * | xargs -n 1 dirname | sort -u); \
	status=0; until over; do \
		for folder in $$folders; do \
			tests=$$(grep -lE "$$imports" $$folder/*_test.go | xargs sed -n 's/^func \(Test[^(]*\).*/\1/p'); \
			over || go test -count=1 -timeout 1h ./$$folder -run "^($$(echo $$tests | tr ' ' '|'))$$" \
				-rapid.seed=0 -rapid.checks=$(CHECKS) || status=1; \
		done; \
	done; \
	git ls-files --others '*testdata/rapid/*' | sed 's/^/Kept, to be committed with what mends it: /'; exit $$status

# What fails is kept below the package's testdata/fuzz, and go test runs it from then on.
# Without a limit Go spends a minute on making each interesting model file smaller.
fuzz: $(LAB)/go
	@targets=$$(grep -rHoE '^func Fuzz[A-Za-z0-9]+' --include='*_test.go' cluster datasets forest | \
		sed 's|\(.*\)/[^/]*:func |\1 |'); \
	seconds=$$(($(MINUTES) * 60 / $$(wc -l <<<"$$targets"))); \
	while read -r folder name; do \
		echo "== $$name in $$folder, $$seconds seconds"; \
		go test ./$$folder -run '^$$' -fuzz "^$$name$$" -fuzztime $${seconds}s -fuzzminimizetime 10x || exit 1; \
	done <<<"$$targets"

# CUDA's header and its compiler of kernels come from wheels, 1 and 23 MB, and are never committed. The tests run
# the kernels' own source on the CPU, so they need no device.
CUDA := $(LAB)/cuda
NVRTC := $(CUDA)/nvidia/cuda_nvrtc/lib
.PHONY: gpu-test gpu-device gpu-kernels
gpu-test: export CGO_ENABLED = 1
# With cgo's own -O2 -g the standard library's packages come out as without the header, so what imports them isn't
# compiled anew.
gpu-test: export CGO_CFLAGS = -O2 -g -I$(CUDA)/nvidia/cuda_runtime/include
gpu-test: $(CUDA)/ready
	@echo "== Package gpu on an emulated driver"
	@tools/lab/need.sh g++ g++
	@mkdir -p $(OUT)/gpu
	@g++ -std=c++17 -O2 -ffp-contract=off -Wall -Wno-unknown-pragmas -fPIC -shared -Wl,-soname,libcuda.so.1 \
		-o $(OUT)/gpu/libcuda.so.1 gpu/kernels/fake.cpp gpu/kernels/kernels.cpp
	@go vet -tags cuda ./gpu/...
	@export LD_LIBRARY_PATH=$(OUT)/gpu; go test -count=1 -tags cuda -short -race ./gpu & race=$$!; \
		go test -count=1 -tags cuda ./gpu; status=$$?; wait $$race && exit $$status

# What gpu/device.sh takes to a machine with a device: a program that needs libc only, and MNIST.
gpu-device: export CGO_ENABLED = 1
gpu-device: export CGO_CFLAGS = -O2 -g -I$(CUDA)/nvidia/cuda_runtime/include
gpu-device: $(CUDA)/ready
	@mkdir -p $(OUT)/gpu/device/mnist
	@go test -tags cuda -ldflags='-s -w' -c -o $(OUT)/gpu/device/gpu.test ./gpu
	@git describe --always --dirty >$(OUT)/gpu/device/commit.txt
	@[ -z "$$OBLIQUA_DATA" ] || cp -f $$OBLIQUA_DATA/mnist/train-* $(OUT)/gpu/device/mnist/

# Compiles the kernels anew, after a change to their source.
gpu-kernels: $(CUDA)/ready
	@LD_LIBRARY_PATH=$(NVRTC) python3 gpu/kernels/nvrtc.py $(NVRTC)/libnvrtc.so.11.2 compute_75 gpu/kernels/obliqua.ptx

$(CUDA)/ready: gpu/kernels/requirements.txt | $(LAB)/go
	@tools/lab/need.sh python3 python3 python3-venv
	@echo "Downloading CUDA's header and compiler of kernels into .lab/cuda (24 MB, once)"
	@python3 -m venv --clear $(CUDA)
	@cd $(CUDA) && bin/python -m pip download --quiet --disable-pip-version-check --no-deps \
		-r $(CURDIR)/gpu/kernels/requirements.txt
	@cd $(CUDA) && for wheel in *.whl; do python3 -m zipfile -e $$wheel . || exit 1; done && rm *.whl
	@touch $@

onnx-test: $(LAB)/onnx/ready
	@echo "== Exported forests in ONNX Runtime"
	@OBLIQUA_ONNX=$(LAB)/onnx/bin/python go test -count=1 -run=TestRuntime ./forest/onnx

$(LAB)/onnx/ready: forest/onnx/testdata/requirements.txt | $(LAB)/go
	@echo "Installing ONNX Runtime into .lab/onnx (a quarter of a minute, once)"
	@python3 -m venv --clear $(LAB)/onnx
	@$(LAB)/onnx/bin/python $(PIP) -r $<
	@touch $@

# Two at a time, because a kernel that starts and a cell that is linked leave a core idle.
notebooks-test: setup
	@echo "== Notebooks, executed by a fresh kernel"
	@go build -o $(LAB)/bin/ipynb ./tools/ipynb
	@printf '%s\n' $(NOTEBOOKS) | xargs -P 2 -I{} tools/lab/notebook.sh {} $(OUT) $(EXECUTE)

browser-test: setup
	@echo "== The quickstart in JupyterLab, in a browser"
	@tools/lab/need.sh chromium chromium fonts-dejavu-core
	@go build -o $(LAB)/bin/ipynb ./tools/ipynb
	@$(PYTHON) tools/lab/browse.py notebooks/quickstart.ipynb $(OUT)/browser
	@ipynb compare notebooks/quickstart.ipynb $(OUT)/browser/quickstart.ipynb
	@ipynb drawn $(OUT)/browser/cell*.png

complete-test: setup $(LAB)/gopls
	@echo "== Completion and documentation in JupyterLab, in a browser"
	@tools/lab/need.sh chromium chromium fonts-dejavu-core
	@$(PYTHON) tools/lab/complete.py $(OUT)/complete

explore-test: setup
	@echo "== A slider that is dragged in JupyterLab, in a browser"
	@tools/lab/need.sh chromium chromium fonts-dejavu-core
	@$(PYTHON) tools/lab/explore.py $(OUT)/explore

playground-test: setup
	@echo "== The playground in a browser: alone, in JupyterLab and in exported HTML"
	@tools/lab/need.sh chromium chromium fonts-dejavu-core
	@go run ./viz/playground/build -o $(OUT)/playground.html
	@$(PYTHON) tools/lab/playground.py $(OUT)/playground.html notebooks/playground.ipynb $(OUT)/playground

SPARK_HOME = $$($(LAB)/spark/bin/python -c 'import pyspark; print(pyspark.__path__[0])')

# A master, two machines of a core each and a Spark Connect server, all on this machine; the test starts and ends them.
cluster-test: $(LAB)/spark/ready
	@echo "== The cluster's tests on Spark"
	@tools/lab/need.sh java openjdk-17-jre-headless
	@set -o pipefail; SPARK_HOME=$(SPARK_HOME) OBLIQUA_CLUSTER=required \
		go test -C cluster/spark -count=1 -timeout 15m -v -run TestOnSpark . | grep -v '^=== '

# A Spark with two executors of one core each, as on two small machines.
SPARK_PORT ?= 15002
spark: $(LAB)/spark/ready
	@tools/lab/need.sh java openjdk-17-jre-headless
	@mkdir -p $(OUT)/spark
	@echo "Spark listens at sc://127.0.0.1:$(SPARK_PORT) when it says so. Control-C ends it."
	@cd $(OUT)/spark && export SPARK_HOME=$(SPARK_HOME) && \
		SPARK_LOCAL_IP=127.0.0.1 SPARK_DAEMON_MEMORY=1g exec $$SPARK_HOME/bin/spark-submit \
		--master 'local-cluster[2,1,1024]' --class org.apache.spark.sql.connect.service.SparkConnectServer \
		--conf spark.ui.enabled=false --conf spark.executor.memory=512m \
		--conf spark.driver.host=127.0.0.1 --conf spark.driver.bindAddress=127.0.0.1 \
		--conf spark.connect.grpc.binding.address=127.0.0.1 --conf spark.connect.grpc.binding.port=$(SPARK_PORT) \
		spark-internal 2>&1 | grep --line-buffered -E 'ERROR|Spark Connect server started'

$(LAB)/spark/ready: cluster/spark/requirements.txt | $(LAB)/go
	@tools/lab/need.sh python3 python3 python3-venv
	@echo "Installing Spark into .lab/spark (434 MB to download, a minute or two, once)"
	@python3 -m venv --clear $(LAB)/spark
	@$(LAB)/spark/bin/python $(PIP) -r $<
	@touch $@

# Compiling for arm64 and WebAssembly is most of the time.
bytes-test: $(LAB)/go
	@echo "== The same bytes on arm64, in an emulator, and in WebAssembly"
	@tools/lab/need.sh qemu-aarch64 qemu-user
	@tools/lab/need.sh node nodejs
	@go test -count=1 ./tools/samebytes -everywhere

# Compilers, linkers and cells take some four minutes of processor time, and what they are built from some more the
# first time. The tag leaves PDF, EPS and TeX out of plots.
.PHONY: gokernel-test
gokernel-test: $(LAB)/go
	@echo "== Cells of the quickstart and the lessons in a page's Go kernel, in a browser"
	@tools/lab/need.sh chromium chromium
	@GOFLAGS="$$GOFLAGS -tags=minimal" go run ./tools/gokernel build $(OUT)/gokernel \
		notebooks/quickstart.ipynb notebooks/lessons/*.ipynb notebooks/lessons/solutions/*.ipynb
	@go test -count=1 -timeout 30m ./tools/gokernel -built $(OUT)/gokernel

# arm64 fuses products and sums where code lets it, and has none of the assembly for amd64.
arm64-test: $(LAB)/go
	@echo "== Tests for arm64, in an emulator"
	@tools/lab/need.sh qemu-aarch64 qemu-user
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

# Nothing else needs the peers. They take the machine for themselves for about an hour; what docs/results/peers.csv
# has of this commit is not measured again. ranger takes part where Rscript finds it.
peers: $(LAB)/peers/ready
	@go build -o $(LAB)/bin/peers ./tools/peers
	@peers run -python $(LAB)/peers/bin/python -treeple-python $(LAB)/peers/treeple/bin/python \
		-csv $(RUNS) $(PEERS)
	@peers report -csv $(RUNS)

$(LAB)/peers/ready: tools/peers/requirements.txt tools/peers/requirements-treeple.txt | $(LAB)/go
	@echo "Installing the peers into .lab/peers (about two minutes, once)"
	@python3 -m venv --clear $(LAB)/peers
	@$(LAB)/peers/bin/python $(PIP) -r tools/peers/requirements.txt
	@python3 -m venv $(LAB)/peers/treeple
	@$(LAB)/peers/treeple/bin/python $(PIP) -r tools/peers/requirements-treeple.txt
	@touch $@

# Takes a minute, and the machine for itself.
readers: $(LAB)/readers/ready
	@go build -o $(LAB)/bin/readers ./tools/readers
	@readers run -python $(LAB)/readers/bin/python -folder $(LAB)/readers -rounds $(ROUNDS)

$(LAB)/readers/ready: tools/readers/requirements.txt | $(LAB)/go
	@echo "Installing pandas into .lab/readers (half a minute, once)"
	@python3 -m venv --clear $(LAB)/readers
	@$(LAB)/readers/bin/python $(PIP) -r $<
	@touch $@

# The site shows the committed notebooks with the outputs that they have: nothing is executed or drawn anew.
SOURCES := $(OUT)/site-sources
site: $(LAB)/site/ready lite
	@rm -rf $(SOURCES) $(OUT)/site && mkdir -p $(SOURCES)/_static
	@cp tools/site/conf.py $(SOURCES) && cp tools/site/site.css tools/site/site.js $(SOURCES)/_static
	@$(LAB)/site/bin/gomarkdoc --repository.url https://github.com/obliqua-ml/obliqua --repository.default-branch main \
		--repository.path / -o '$(SOURCES)/api/{{.Dir}}.md' \
		$$(go list -f '{{if and (ne .Name "main") .GoFiles}}{{.Dir}}{{end}}' ./... | \
			sed 's|^$(CURDIR)|.|' | grep -v '/internal/\|^./tools/')
	@go run ./viz/playground/build -o $(SOURCES)/_static/playground.html
	@go run ./tools/site gather $(SOURCES)
	@$(LAB)/site/venv/bin/sphinx-build -W --keep-going -q -b html $(SOURCES) $(OUT)/site
	@cp -r $(OUT)/lite $(OUT)/site/lite
	@go run ./tools/site check $(OUT)/site
	@echo "The site is in $(OUT)/site; open index.html."

# JupyterLite with the notebooks that run in the page. The kernel takes minutes the first time, for the compiler and
# all packages, and half a minute later. The tag leaves PDF, EPS and TeX out of plots.
EXTENSION := $(LAB)/lite/share/jupyter/labextensions/obliqua-go
lite: $(LAB)/lite/ready
	@rm -rf $(OUT)/lite $(OUT)/lite-sources && mkdir -p $(OUT)/lite-sources $(EXTENSION)/static
	@cp tools/lite/package.json $(EXTENSION) && cp tools/lite/remoteEntry.js $(EXTENSION)/static
	@cp tools/lite/jupyter-lite.json $(OUT)/lite-sources
	@go run ./tools/site lite $(OUT)/lite-sources/files
	@cd $(OUT)/lite-sources && $(LAB)/lite/bin/jupyter lite build --apps notebooks --contents files --no-sourcemaps \
		--output-dir $(OUT)/lite >$(OUT)/lite.log 2>&1 || { cat $(OUT)/lite.log; exit 1; }
	@GOFLAGS="$$GOFLAGS -tags=minimal" go run ./tools/gokernel build -warm "$$(<tools/lite/warm.txt)" $(OUT)/lite/go \
		notebooks/quickstart.ipynb notebooks/lessons/*.ipynb notebooks/lessons/solutions/*.ipynb

$(LAB)/lite/ready: tools/lite/requirements.txt tools/lab/requirements.txt | $(LAB)/go
	@tools/lab/need.sh python3 python3 python3-venv
	@echo "Installing JupyterLite into .lab/lite (half a minute, once)"
	@python3 -m venv --clear $(LAB)/lite
	@$(LAB)/lite/bin/python $(PIP) -r tools/lite/requirements.txt
	@touch $@

lite-test: $(LAB)/python
	@echo "== A lesson that is opened from its link and run in the page"
	@tools/lab/need.sh chromium chromium fonts-dejavu-core
	@$(PYTHON) tools/lab/lite.py $(OUT)/site notebooks/lessons/2-why-forests.ipynb 4 $(OUT)/lite-test

site-test: site $(LAB)/python
	@tools/lab/need.sh chromium chromium fonts-dejavu-core
	@$(PYTHON) tools/lab/pages.py $(OUT)/site $(OUT)/pages

$(LAB)/site/ready: tools/site/requirements.txt tools/site/deps/go.mod tools/site/deps/go.sum | $(LAB)/go
	@tools/lab/need.sh python3 python3 python3-venv
	@echo "Installing Sphinx and gomarkdoc into .lab/site (about a minute, once)"
	@mkdir -p $(LAB)/site
	@cd tools/site/deps && GOBIN=$(LAB)/site/bin go install tool
	@python3 -m venv --clear $(LAB)/site/venv
	@$(LAB)/site/venv/bin/python $(PIP) -r tools/site/requirements.txt
	@touch $@

clean:
	rm -rf $(LAB)

# The kernel is written every time, which takes milliseconds, because it holds this folder's path. The build
# makes the first cell quick; where it fails, JupyterLab may be the place to mend it.
setup: $(LAB)/go $(LAB)/tools $(LAB)/python
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

# GoNB, goimports and gopls are a module of their own: whoever imports the library does not download them, and
# our own tools beside it stay in the main module, where its tests find them. Among these is a goimports that
# the kernel finds first, and that runs the one from here.
$(LAB)/tools: tools/deps/go.mod tools/deps/go.sum | $(LAB)/go
	@echo "Building the Go kernel for Jupyter (about a minute, once)"
	@cd tools/deps && GOBIN=$(LAB)/deps go install github.com/janpfeifer/gonb golang.org/x/tools/cmd/goimports
	@touch $@

$(LAB)/gopls: tools/deps/go.mod tools/deps/go.sum | $(LAB)/go
	@echo "Building gopls, for completion (about a minute, once)"
	@cd tools/deps && GOBIN=$(LAB)/deps go install golang.org/x/tools/gopls
	@touch $@

$(LAB)/python: tools/lab/requirements.txt | $(LAB)/go
	@tools/lab/need.sh python3 python3 python3-venv
	@python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	{ echo "JupyterLab needs Python 3.11 or newer; python3 is $$(python3 -V)."; exit 1; }
	@echo "Installing JupyterLab into .lab/venv (about a minute, once)"
	@python3 -m venv --clear $(LAB)/venv || \
	{ echo "Python cannot make a virtual environment. On Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
	@$(PYTHON) $(PIP) -r tools/lab/requirements.txt
	@touch $@
