requirements-spark := cluster/spark/requirements.txt
SPARK_HOME  = $$($(LAB)/spark/bin/python -c 'import pyspark; print(pyspark.__path__[0])')
SPARK_PORT ?= 15002

.PHONY: spark cluster-test
# A master, two machines of a core each and a Spark Connect server, all on this machine; the test starts and ends them.
cluster-test: $(LAB)/spark/ready need-java
	@echo "== The cluster's tests on Spark"
	@set -o pipefail; SPARK_HOME=$(SPARK_HOME) OBLIQUA_CLUSTER=required \
		go test -C cluster/spark -count=1 -timeout 15m -v -run TestOnSpark . | grep -v '^=== '

# A Spark with two executors of one core each, as on two small machines.
spark: $(LAB)/spark/ready need-java
	@mkdir -p $(OUT)/spark
	@echo "Spark listens at sc://127.0.0.1:$(SPARK_PORT) when it says so. Control-C ends it."
	@cd $(OUT)/spark && export SPARK_HOME=$(SPARK_HOME) && \
		SPARK_LOCAL_IP=127.0.0.1 SPARK_DAEMON_MEMORY=1g exec $$SPARK_HOME/bin/spark-submit \
		--master 'local-cluster[2,1,1024]' --class org.apache.spark.sql.connect.service.SparkConnectServer \
		--conf spark.ui.enabled=false --conf spark.executor.memory=512m \
		--conf spark.driver.host=127.0.0.1 --conf spark.driver.bindAddress=127.0.0.1 \
		--conf spark.connect.grpc.binding.address=127.0.0.1 --conf spark.connect.grpc.binding.port=$(SPARK_PORT) \
		spark-internal 2>&1 | grep --line-buffered -E 'ERROR|Spark Connect server started'
