// Peers times training and prediction against scikit-learn's random forest on
// the trunk problem, alternating in one run, and prints medians with the test
// error beside them.
//
//	go run ./tools/peers -python path/to/python -threads 2
//
// The Python needs numpy and scikit-learn. Data are float32 on both sides, trees
// fully grown on bootstrap samples, the number of threads is the same.
package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/sim"
)

const (
	rows       = 20000
	features   = 50
	trees      = 100
	candidates = 7
	rounds     = 5
)

// A timing is one fit and prediction.
type timing struct {
	Fit, Predict float64 // seconds
	Error        float64
}

func main() {
	log.SetFlags(0)
	python := flag.String("python", "python3", "a Python with numpy and scikit-learn")
	threads := flag.Int("threads", 2, "threads of both sides")
	flag.Parse()
	if err := run(*python, *threads); err != nil {
		log.Fatal("peers: ", err)
	}
}

func run(python string, threads int) error {
	runtime.GOMAXPROCS(threads)
	train, test := sim.Trunk{Features: features}.Sample(rows, 1), sim.Trunk{Features: features}.Sample(rows, 2)
	peer, err := startPeer(python, threads, train, test)
	if err != nil {
		return err
	}
	defer peer.stop()
	timings := map[string][]timing{}
	for range rounds {
		t, err := peer.next()
		if err != nil {
			return err
		}
		timings["scikit-learn RandomForestClassifier"] = append(timings["scikit-learn RandomForestClassifier"], t)
		for name, learner := range map[string]forest.Learner{
			"obliqua rf.Learner":    rf.Learner{Trees: trees, MaxFeatures: candidates, Seed: 1},
			"obliqua sporf.Learner": sporf.Learner{Trees: trees, Projections: candidates, Seed: 1},
		} {
			t, err := measure(learner, train, test)
			if err != nil {
				return err
			}
			timings[name] = append(timings[name], t)
		}
	}
	fmt.Printf("trunk, n = %d, p = %d, %d trees, %d candidates, %d threads, scikit-learn %s, %s; medians of %d\n",
		rows, features, trees, candidates, threads, peer.version, runtime.Version(), rounds)
	base := median(timings["scikit-learn RandomForestClassifier"])
	for _, name := range []string{"scikit-learn RandomForestClassifier", "obliqua rf.Learner", "obliqua sporf.Learner"} {
		m := median(timings[name])
		fmt.Printf("%-36s fit %6.2f s (%.2f)   predict %6.3f s (%.2f)   test error %.4f\n",
			name, m.Fit, m.Fit/base.Fit, m.Predict, m.Predict/base.Predict, m.Error)
	}
	return nil
}

func measure(l forest.Learner, train, test *datasets.Dataset) (timing, error) {
	start := time.Now()
	model, err := l.Fit(context.Background(), train)
	if err != nil {
		return timing{}, err
	}
	fitted := time.Now()
	labels := model.Predict(test)
	return timing{fitted.Sub(start).Seconds(), time.Since(fitted).Seconds(), eval.Error(labels, test.Labels)}, nil
}

func median(ts []timing) timing {
	middle := func(of func(timing) float64) float64 {
		var v []float64
		for _, t := range ts {
			v = append(v, of(t))
		}
		slices.Sort(v)
		return v[len(v)/2]
	}
	return timing{
		middle(func(t timing) float64 { return t.Fit }),
		middle(func(t timing) float64 { return t.Predict }),
		middle(func(t timing) float64 { return t.Error }),
	}
}

// A peer is a running sklearn_forest.py, which fits once for every line it is
// sent.
type peer struct {
	version string
	command *exec.Cmd
	ask     io.WriteCloser
	answer  *json.Decoder
	folder  string
}

func startPeer(python string, threads int, train, test *datasets.Dataset) (*peer, error) {
	folder, err := os.MkdirTemp("", "peers")
	if err != nil {
		return nil, err
	}
	p := &peer{folder: folder}
	for name, d := range map[string]*datasets.Dataset{"train": train, "test": test} {
		if err := writeRaw(filepath.Join(folder, name), d); err != nil {
			return nil, err
		}
	}
	p.command = exec.Command(python, "tools/peers/sklearn_forest.py", folder,
		strconv.Itoa(features), strconv.Itoa(trees), strconv.Itoa(candidates), strconv.Itoa(threads))
	p.command.Stderr = os.Stderr
	if p.ask, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	p.answer = json.NewDecoder(out)
	return p, p.answer.Decode(&p.version)
}

func (p *peer) next() (t timing, err error) {
	if _, err := io.WriteString(p.ask, "fit\n"); err != nil {
		return t, err
	}
	return t, p.answer.Decode(&t)
}

func (p *peer) stop() {
	p.ask.Close()
	p.command.Wait()
	os.RemoveAll(p.folder)
}

// writeRaw writes the columns as float32, then the labels as int32.
func writeRaw(path string, d *datasets.Dataset) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	for _, c := range d.Columns {
		if err := binary.Write(w, binary.LittleEndian, c); err != nil {
			return err
		}
	}
	if err := binary.Write(w, binary.LittleEndian, d.Labels); err != nil {
		return err
	}
	return w.Flush()
}
