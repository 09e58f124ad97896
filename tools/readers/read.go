package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/columnar"
)

// readOnce reads a file and writes its result as JSON.
func readOnce(path string, w io.Writer) error {
	read := func() (*datasets.Dataset, error) { return datasets.ReadCSV(context.Background(), path, datasets.CSV{}) }
	if strings.HasSuffix(path, ".parquet") {
		read = func() (*datasets.Dataset, error) {
			return columnar.ReadParquet(context.Background(), path, columnar.Options{})
		}
	}
	small := strings.NewReader("x,colour\n1.5,red\n2.5,blue\n")
	if _, err := (datasets.CSV{}).Read(context.Background(), small, "small"); err != nil {
		return err
	}
	runtime.GC()
	r := result{Version: runtime.Version(), Baseline: status("VmRSS")}
	used, start := processor(), time.Now()
	d, err := read()
	if err != nil {
		return err
	}
	r.Seconds, r.Processor, r.Peak = time.Since(start).Seconds(), processor()-used, status("VmHWM")
	r.Rows, r.Classes = d.N(), len(d.Classes)
	for _, column := range d.Columns {
		for _, v := range column {
			r.Sum += float64(v)
		}
	}
	return json.NewEncoder(w).Encode(r)
}

// status returns an entry of /proc/self/status in bytes, such as VmRSS (memory now) or
// VmHWM (peak), or 0 if the system has none.
func status(key string) int64 {
	body, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(body)) {
		if value, ok := strings.CutPrefix(line, key+":"); ok {
			var kilobytes int64
			fmt.Sscan(value, &kilobytes)
			return kilobytes * 1024
		}
	}
	return 0
}

// processor returns the processor time of this process in seconds, to a hundredth, or 0
// if the system doesn't report it.
func processor() float64 {
	body, _ := os.ReadFile("/proc/self/stat")
	_, rest, _ := strings.Cut(string(body), ") ") // the program's name comes before
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	var ticks float64
	for _, field := range fields[11:13] { // user and system time
		t, _ := strconv.ParseFloat(field, 64)
		ticks += t
	}
	return ticks / 100
}
