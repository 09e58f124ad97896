// Package connect holds the messages and the service of Spark Connect, generated from the .proto files of Spark 4.0.1
// (spark-connect_2.13-4.0.1.jar). Those are in the folder proto, unchanged, with Spark's licence (Apache 2.0).
package connect

//go:generate ./generate.sh
