// Package spark runs the work of package cluster on an Apache Spark cluster. It speaks to a
// Spark Connect server, which every Spark since 4.0 can start, by the protocol's own messages:
// there is no Python or Java of ours, and nothing of ours is installed on the cluster.
//
//	func main() {
//		cluster.Main(sporf.Learner{})
//		…
//		engine, err := spark.Dial(ctx, "sc://head:15002")
//		…
//		defer engine.Close()
//		model, err := cluster.Fit(ctx, engine, sporf.Learner{Trees: 5000, Seed: 1}, train)
//	}
//
// This is a module of its own, so that programs without Spark don't load its protocol. It makes
// a program about 15 MB larger.
//
// # A server
//
// A Spark distribution, also the one in Python's package pyspark, starts a server on this machine
// with two executors of one core each by
//
//	spark-submit --master 'local-cluster[2,1,1024]' \
//		--class org.apache.spark.sql.connect.service.SparkConnectServer spark-internal
//
// It needs Java 17. With --master spark://head:7077 it uses a cluster. The server listens
// on port 15002 of all addresses; --conf spark.connect.grpc.binding.address=127.0.0.1 keeps it to
// this machine. With --master 'local[4]' everything is in one process, and tasks whose
// worker dies aren't tried again; 'local[4,4]' tries four times.
//
// # What runs where
//
// [Dial] opens a session. The first job uploads this program, or the one that [Program] names, and
// each job its files, such as the training data, unless they are there already. Every
// executor fetches them once. A job is one query, SELECT TRANSFORM, in which each task is a row and a
// task of Spark. So each task starts a worker, which reads the files: a task should take much
// longer than that. A worker has spark.task.cpus as its GOMAXPROCS. Workers run on the processor
// and operating system that the program was built for; on Linux, build it with CGO_ENABLED=0 if
// the machines' libraries differ.
//
// # What may fail
//
// Spark gives tasks to another worker if a worker, an executor or a machine dies, up to spark.task.maxFailures times
// for a task (4). The error says how the last of them died (exit status 2, signal: killed), and has its last words: the
// end of what it wrote to its standard error, about 2 KB. Each worker has a second process for that, which waits. A
// broken connection is taken up again for a minute. When ctx is cancelled, calls return within a second. The workers
// notice that Spark reads their answers no more, and are gone after about six seconds. If this program dies, the server
// waits for it, and ends its jobs after about seven minutes
// (spark.connect.execute.reattachable.senderMaxStreamDuration and spark.connect.execute.manager.detachedTimeout). Spark
// 4.0.1 may wait for ever (SPARK-53900); then a job ends when all of its tasks are done. A session that isn't used for
// an hour ends (spark.connect.session.manager.defaultSessionTimeout), and so does that of a server that is started
// again: then call Dial again.
//
// # Limits
//
//   - Every worker holds all of the training data: rows × columns × 4 bytes, and what growing
//     takes. A machine needs that for each of its slots, beside the executor's own memory
//     (spark.executor.memory), which is Java's and can stay small. On YARN and Kubernetes it
//     belongs to spark.executor.memoryOverhead.
//   - The answers of a job pass through the server. Together they may take spark.driver.maxResultSize,
//     by default 1 GB, which is about 700 MB of forest, as answers travel as text. A job that exceeds
//     it fails with an error that names the setting. Servers for larger forests are started with 0, no
//     limit. Answers come in the order of tasks, and the server holds those that wait for one before
//     them, so give it memory (--driver-memory).
//   - The number of slots is asked once, by Dial. Where executors come and go (dynamic allocation),
//     set spark.default.parallelism to the number of cores that are to be used.
//
// # Security
//
// Whoever reaches a Spark Connect server can run any command on the cluster as Spark's user: TRANSFORM
// is made for that, and the server can't tell our worker from another command. This
// package sends no command but the program that it has uploaded under the name of its hash. So
//   - keep the port to a trusted network, or to this machine and use ssh -L;
//   - let the server want a token: spark.connect.authenticate.token, or the variable
//     SPARK_CONNECT_AUTHENTICATE_TOKEN, which doesn't show in the list of processes. Dial takes
//     it from the address or from the same variable;
//   - encrypt: the server can't, so a proxy before it must. Dial sends a token, or a header
//     authorization, only over TLS unless the server is on this machine, and verifies the proxy
//     by this machine's certificates.
//
// Training data and models lie as files on the server and on the executors, readable by Spark's user; on
// executors also for a while after the session. Parameters show in the server's log.
//
// # What was tried
//
// Spark 4.0.1 on Linux and amd64: standalone clusters, local-cluster and local mode on one machine,
// killed workers, executors and machines included. YARN, Kubernetes, hosted Sparks, some of
// which forbid TRANSFORM, and other versions were not tried. Spark 3 is refused.
package spark
