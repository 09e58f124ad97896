requirements-peers   := tools/peers/requirements.txt
requirements-treeple := tools/peers/requirements-treeple.txt
requirements-anchors := tools/peers/requirements-anchors.txt
RUNS ?= docs/results/peers.csv

.PHONY: peers
# Nothing else needs the peers. They take the machine for themselves for about an hour; what docs/results/peers.csv
# has of this commit is not measured again. ranger takes part where Rscript finds it.
peers: $(LAB)/peers/ready $(LAB)/treeple/ready
	@go build -o $(LAB)/bin/peers ./tools/peers
	@peers run -python $(LAB)/peers/bin/python -treeple-python $(LAB)/treeple/bin/python -csv $(RUNS) $(PEERS)
	@peers report -csv $(RUNS)
