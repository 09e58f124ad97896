#!/usr/bin/env bash
# Writes the Go code of Spark's messages and of its service, from the files in proto. It needs protoc (Debian, Ubuntu:
# apt-get install protobuf-compiler); the plugins are those of go.mod.
set -euo pipefail
cd "$(dirname "$0")"
package=github.com/obliqua-ml/obliqua/cluster/spark/internal/connect
options=module=$package
for file in proto/spark/connect/*.proto; do
	options+=",M${file#proto/}=$package;connect"
done
rm -f ./*.pb.go
protoc --proto_path=proto \
	--plugin=protoc-gen-go="$(go tool -n protoc-gen-go)" --go_out=. --go_opt="$options" \
	--plugin=protoc-gen-go-grpc="$(go tool -n protoc-gen-go-grpc)" --go-grpc_out=. --go-grpc_opt="$options" \
	proto/spark/connect/*.proto
