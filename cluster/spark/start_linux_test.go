package spark

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/obliqua-ml/obliqua/internal/must"
)

// A standalone is a Spark on this machine: a master, two daemons with a core each, which start an
// executor each, and a Connect server. All are processes of their own.
type standalone struct {
	address string
	folder  string
	log     string // of the server
}

// maxResult is the spark.driver.maxResultSize of the test's Spark.
const maxResult = 8 << 20

// startSpark starts the Spark in $SPARK_HOME, and ends it with the test.
func startSpark(t *testing.T) *standalone {
	t.Helper()
	home := os.Getenv("SPARK_HOME")
	if home == "" {
		if os.Getenv("OBLIQUA_CLUSTER") == "required" {
			t.Fatal("SPARK_HOME is unset")
		}
		t.Skip("SPARK_HOME is unset; make cluster-test installs a Spark and sets it")
	}
	folder := t.TempDir()
	// Daemons die with the thread that started them, even if the test's process is killed.
	start := make(chan func(), 1)
	go func() {
		runtime.LockOSThread()
		for f := range start {
			f()
		}
	}()
	daemon := func(name, memory string, arguments ...string) *exec.Cmd {
		log := must.Value(os.Create(filepath.Join(folder, name+".log")))
		c := exec.Command(filepath.Join(home, "bin", arguments[0]), arguments[1:]...)
		c.Dir, c.Stdout, c.Stderr = folder, log, log
		c.Env = append(os.Environ(), "SPARK_LOCAL_IP=127.0.0.1", "SPARK_DAEMON_MEMORY="+memory, "SPARK_LOCAL_DIRS="+folder,
			"SPARK_CONF_DIR="+folder)
		c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
		started := make(chan error)
		start <- func() { started <- c.Start() }
		must.Do(<-started)
		t.Cleanup(func() {
			syscall.Kill(-c.Process.Pid, syscall.SIGKILL) // and its executors and their workers
			c.Wait()
			log.Close()
			if folder := os.Getenv("OBLIQUA_SPARK_LOGS"); folder != "" {
				b, _ := os.ReadFile(log.Name())
				os.WriteFile(filepath.Join(folder, name+".log"), b, 0o644)
			}
		})
		return c
	}
	master, server := freePort(t), freePort(t)
	url := "spark://127.0.0.1:" + master
	daemon("master", "200m", "spark-class", "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port",
		master, "--webui-port", "0")
	s := &standalone{address: "sc://127.0.0.1:" + server + "/;token=correct", folder: folder,
		log: filepath.Join(folder, "server.log")}
	for i := range 2 {
		daemon("daemon"+strconv.Itoa(i), "200m", "spark-class", "org.apache.spark.deploy.worker.Worker",
			"--host", "127.0.0.1", "--webui-port", "0", "--cores", "1", "--memory", "1g", "--work-dir",
			filepath.Join(folder, strconv.Itoa(i)), url)
	}
	arguments := []string{"spark-submit", "--master", url, "--class",
		"org.apache.spark.sql.connect.service.SparkConnectServer"}
	for name, value := range map[string]string{
		"spark.ui.enabled":                                           "false",
		"spark.executor.memory":                                      "512m",
		"spark.driver.host":                                          "127.0.0.1",
		"spark.driver.bindAddress":                                   "127.0.0.1",
		"spark.connect.grpc.binding.address":                         "127.0.0.1",
		"spark.connect.grpc.binding.port":                            server,
		"spark.connect.authenticate.token":                           "correct",
		"spark.driver.maxResultSize":                                 strconv.Itoa(maxResult),
		"spark.connect.execute.reattachable.senderMaxStreamSize":     "64k", // streams end often
		"spark.connect.execute.reattachable.senderMaxStreamDuration": "1500ms",
	} {
		arguments = append(arguments, "--conf", name+"="+value)
	}
	daemon("server", "600m", append(arguments, "spark-internal")...)
	s.wait(t, server)
	return s
}

// wait returns when the server listens and both executors have announced themselves.
func (s *standalone) wait(t *testing.T, port string) {
	t.Helper()
	began := time.Now()
	eventually(t, "Spark runs", s.progress, func() bool {
		c, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err != nil {
			return false
		}
		c.Close()
		return s.count(t, "Registered executor") >= 2
	})
	t.Logf("Spark runs after %.1f s", time.Since(began).Seconds())
}

// progress returns how many lines Spark's processes have written. They write nothing while they have
// nothing to do.
func (s *standalone) progress() int {
	logs, _ := filepath.Glob(filepath.Join(s.folder, "*.log"))
	lines := 0
	for _, log := range logs {
		b, _ := os.ReadFile(log)
		lines += strings.Count(string(b), "\n")
	}
	return lines
}

// noWorker reports whether no worker runs, nor a keeper of one.
func noWorker() bool { return len(processes()) == 0 }

// count returns how many lines of the server's log have a text.
func (s *standalone) count(t *testing.T, text string) int {
	t.Helper()
	b := must.Value(os.ReadFile(s.log))
	return strings.Count(string(b), text)
}

// lost returns how many tasks Spark has lost and given to another worker.
func (s *standalone) lost(t *testing.T) int {
	t.Helper()
	return s.count(t, "Lost task") + s.count(t, "its executor exited for a reason unrelated to the task")
}

func freePort(t *testing.T) string {
	t.Helper()
	l := must.Value(net.Listen("tcp", "127.0.0.1:0"))
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// ownName is the name of this test's program on the executors.
var ownName = sync.OnceValue(func() string {
	own, err := (&Engine{}).worker()
	if err != nil {
		panic(err)
	}
	return own.Name
})

// processes returns those that run this test's program on the executors: workers and the processes that keep them.
func processes() (numbers []int) {
	links, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, link := range links {
		path, err := os.Readlink(link)
		if err != nil || filepath.Base(strings.TrimSuffix(path, " (deleted)")) != ownName() {
			continue
		}
		number, _ := strconv.Atoi(strings.Split(link, "/")[2])
		numbers = append(numbers, number)
	}
	return numbers
}

// workers returns the workers. The parent of each is its keeper, whose parent is an executor.
func workers() (workers []int) {
	all := processes()
	for _, p := range all {
		if slices.Contains(all, parent(p)) {
			workers = append(workers, p)
		}
	}
	return workers
}

// parent returns the number of a process's parent.
func parent(pid int) int {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(b), ") ")
	var state string
	var p int
	fmt.Sscan(rest, &state, &p)
	return p
}

// dial opens a session that ends with the test.
func (s *standalone) dial(t *testing.T) (context.Context, *Engine) {
	t.Helper()
	ctx := t.Context()
	e := must.Value(Dial(ctx, s.address))
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return ctx, e
}
