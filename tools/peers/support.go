package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/notebooks/figures"
)

// A supportJob is what support.py is asked.
type supportJob struct {
	Folder   string    `json:"folder"`
	Rows     int       `json:"rows"`
	TestRows int       `json:"test_rows"`
	Features int       `json:"features"`
	Classes  int       `json:"classes"`
	C        float64   `json:"c"`
	Gamma    float64   `json:"gamma"`
	Subsets  [][]int32 `json:"subsets"`
}

// supportCommand computes table 2 and figure 14 of the GRAF paper with scikit-learn's SVM.
func supportCommand(args []string) error {
	flags := flag.NewFlagSet("support", flag.ExitOnError)
	python := flags.String("python", "python3", "a Python with the packages of requirements.txt")
	path := flags.String("csv", "docs/results/graf-support-paper.csv", "add the results to this file; those in it aren't measured again")
	match := flags.String("sets", ".", "measure the sets that match this `regexp`")
	repeats := flags.Int("repeats", 0, "at most so many divisions of a set; 0 does all")
	flags.Parse(args)
	like, err := regexp.Compile(*match)
	if err != nil {
		return fmt.Errorf("-sets: %w", err)
	}
	scripts, err := scriptFolder()
	if err != nil {
		return err
	}
	commit, err := gitCommit()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	m, err := startMachines(ctx, *python, scripts)
	if err != nil {
		return err
	}
	defer m.close()
	e := figures.GRAFSupport(true, m.train)
	e.Runs = slices.DeleteFunc(e.Runs, func(r figures.Run) bool {
		return !like.MatchString(r.Problem) || *repeats > 0 && r.Repeat > *repeats
	})
	ctx = forest.WithProgress(ctx, func(done, total int) { log.Printf("%d of %d runs", done, total) })
	_, err = e.Execute(ctx, *path, commit)
	return err
}

// machines asks support.py for support vector machines.
type machines struct {
	folder   string
	requests *json.Encoder
	replies  *json.Decoder
	close    func()
}

func startMachines(ctx context.Context, python, scripts string) (*machines, error) {
	cmd := exec.CommandContext(ctx, python, filepath.Join(scripts, "support.py"))
	cmd.Stderr = os.Stderr
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
	requests, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	replies, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "support-")
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		os.RemoveAll(folder)
		return nil, err
	}
	return &machines{folder, json.NewEncoder(requests), json.NewDecoder(replies), func() {
		requests.Close()
		cmd.Wait()
		os.RemoveAll(folder)
	}}, nil
}

func (m *machines) train(_ context.Context, job figures.SVMJob) (reply figures.SVMReply, err error) {
	s, err := writeFolder(m.folder, job.Train, job.Test)
	if err != nil {
		return reply, err
	}
	err = m.requests.Encode(supportJob{m.folder, s.rows, s.testRows, s.features, s.classes, job.C, job.Gamma, job.Subsets})
	if err == nil {
		err = m.replies.Decode(&reply)
	}
	if err != nil {
		return reply, fmt.Errorf("support.py: %w", err)
	}
	if len(reply.Accuracy) != len(job.Subsets) || len(reply.Alpha) != len(reply.Support) {
		return reply, fmt.Errorf("support.py: %d accuracies of %d subsets, %d weights of %d support vectors",
			len(reply.Accuracy), len(job.Subsets), len(reply.Alpha), len(reply.Support))
	}
	return reply, nil
}
