requirements-sphinx := tools/site/requirements.txt
requirements-lite   := tools/lite/requirements.txt
READ := docs/results/*.csv*,testdata/*.csv,testdata/*/*.csv# what cells read in a page

.PHONY: site site-test lite lite-test gokernel-test
# What runs in a page is built with a tag that leaves PDF, EPS and TeX out of plots.
lite gokernel-test: export GOFLAGS = $(shell go env GOFLAGS 2>/dev/null) -tags=minimal

# The site shows the committed notebooks with the outputs that they have: nothing is executed or drawn anew.
SOURCES := $(OUT)/site-sources
site: $(LAB)/sphinx/ready $(LAB)/gomarkdoc lite
	@rm -rf $(SOURCES) $(OUT)/site && mkdir -p $(SOURCES)/_static
	@cp tools/site/conf.py $(SOURCES) && cp tools/site/site.css tools/site/site.js $(SOURCES)/_static
	@$(LAB)/bin/gomarkdoc --repository.url https://github.com/obliqua-ml/obliqua --repository.default-branch main \
		--repository.path / -o '$(SOURCES)/api/{{.Dir}}.md' \
		$$(go list -f '{{if and (ne .Name "main") .GoFiles}}{{.Dir}}{{end}}' ./... | \
			sed 's|^$(CURDIR)|.|' | grep -v '/internal/\|^./tools/')
	@go run ./viz/playground/build -o $(SOURCES)/_static/playground.html
	@go run ./tools/site gather $(SOURCES)
	@$(LAB)/sphinx/bin/sphinx-build -W --keep-going -q -b html $(SOURCES) $(OUT)/site
	@cp -r $(OUT)/lite $(OUT)/site/lite
	@go run ./tools/site check $(OUT)/site
	@echo "The site is in $(OUT)/site; open index.html."

$(LAB)/gomarkdoc: tools/site/deps/go.mod tools/site/deps/go.sum | $(LAB)/go
	@echo "Building gomarkdoc (half a minute, once)"
	@cd tools/site/deps && GOBIN=$(LAB)/bin go install tool
	@touch $@

# JupyterLite with the notebooks that run in the page. The kernel takes minutes the first time, for the compiler and
# all packages, and half a minute later.
EXTENSION := $(LAB)/lite/share/jupyter/labextensions/obliqua-go
lite: $(LAB)/lite/ready
	@rm -rf $(OUT)/lite $(OUT)/lite-sources && mkdir -p $(OUT)/lite-sources $(EXTENSION)/static
	@cp tools/lite/package.json $(EXTENSION) && cp tools/lite/remoteEntry.js $(EXTENSION)/static
	@cp tools/lite/jupyter-lite.json $(OUT)/lite-sources
	@go run ./tools/site lite $(OUT)/lite-sources/files
	@cd $(OUT)/lite-sources && $(LAB)/lite/bin/jupyter lite build --apps notebooks --contents files --no-sourcemaps \
		--output-dir $(OUT)/lite >$(OUT)/lite.log 2>&1 || { cat $(OUT)/lite.log; exit 1; }
	@cp tools/lite/service-worker.js $(OUT)/lite
	@go run ./tools/gokernel build -hints tools/hints/hints.txt -files $(READ) -warm "$$(<tools/lite/warm.txt)" \
		$(OUT)/lite/go $$(find $(OUT)/lite-sources/files -name '*.ipynb')

lite-test: $(LAB)/venv/ready need-chromium
	@echo "== A lesson that is opened from its link and run in the page"
	@$(PYTHON) tools/lab/lite.py $(OUT)/site notebooks/lessons/2-why-forests.ipynb 4 $(OUT)/lite-test

# Every page at 400 and 1400 pixels, and all cells that run in a page.
site-test: site lite-test gokernel-test
	@echo "== Every page of the site, in a browser"
	@$(PYTHON) tools/lab/pages.py $(OUT)/site $(OUT)/pages

# Compilers, linkers and cells take some seventeen minutes of processor time, on all cores, and what they are built from
# some more the first time.
gokernel-test: need-chromium
	@echo "== Cells of the notebooks in a page's Go kernel, in a browser"
	@rm -rf $(OUT)/gokernel-sources && go run ./tools/site lite $(OUT)/gokernel-sources
	@go run ./tools/gokernel build -hints tools/hints/hints.txt -files $(READ) $(OUT)/gokernel \
		$$(find $(OUT)/gokernel-sources -name '*.ipynb')
	@go test -count=1 -timeout 30m ./tools/gokernel -built $(OUT)/gokernel \
		-notebooks "$$(cd $(OUT)/gokernel-sources && find * -name '*.ipynb' | sort)"
