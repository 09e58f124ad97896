package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/columnar"
	"github.com/obliqua-ml/obliqua/tools/internal/runs"
)

// readOnce reads a file and writes its result as JSON.
func readOnce(path string, w io.Writer) error {
	ctx := context.Background()
	small := strings.NewReader("x,colour\n1.5,red\n2.5,blue\n")
	if _, err := (datasets.CSV{}).Read(ctx, small, "small"); err != nil {
		return err
	}
	runtime.GC()
	r := result{Version: runtime.Version(), Baseline: runs.Memory("self", "VmRSS")}
	used, start := processor(), time.Now()
	var d *datasets.Dataset
	var err error
	if strings.HasSuffix(path, ".parquet") {
		d, err = columnar.ReadParquet(ctx, path, columnar.Options{})
	} else {
		d, err = datasets.ReadCSV(ctx, path, datasets.CSV{})
	}
	if err != nil {
		return err
	}
	r.Seconds, r.Processor, r.Peak = time.Since(start).Seconds(), processor()-used, runs.Memory("self", "VmHWM")
	r.Rows, r.Classes = d.N(), len(d.Classes)
	for _, column := range d.Columns {
		for _, v := range column {
			r.Sum += float64(v)
		}
	}
	return json.NewEncoder(w).Encode(r)
}

// processor returns the processor time of this process in seconds, to a hundredth, or 0 if the system doesn't report
// it.
func processor() float64 {
	body, _ := os.ReadFile("/proc/self/stat")
	_, rest, _ := strings.Cut(string(body), ") ") // the program's name comes before
	var user, system float64
	if fields := strings.Fields(rest); len(fields) > 12 {
		fmt.Sscan(fields[11]+" "+fields[12], &user, &system)
	}
	return (user + system) / 100
}
