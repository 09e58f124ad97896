// Package nb makes the cells of a notebook short: an error ends the cell with its own
// words, data sets are loaded by name, models are trained once, and cards and charts
// show what they are.
//
//	%%
//	data := nb.Load("balance-scale")
//	model := nb.Fit(sporf.Learner{Trees: 100}, data)
//	nb.Show(data, model)
//
// It is for notebooks, where a cell is a program of its own that may end at the first
// error. Other programs handle errors.
package nb

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/notebook"
	"github.com/obliqua-ml/obliqua/viz"
	"github.com/obliqua-ml/obliqua/viz/once"
)

// Context returns a context for whatever takes time in a cell. It is cancelled when the
// kernel is interrupted or Control-C is pressed: learners, tuning and downloads then stop
// and return its error. The kernel kills a cell that is still running five seconds later.
// Every call returns the same context.
func Context() context.Context { return interrupted() }

var interrupted = sync.OnceValue(func() context.Context {
	// It is needed as long as the cell runs, so its goroutine and its handler are never given back.
	ctx, _ := signal.NotifyContext(context.Background(), os.Interrupt)
	return ctx
})

// Must ends the cell if err isn't nil: it prints the error's text to standard error,
// waits until the notebook has received all outputs, and exits with status 1, so that
// executing the notebook fails. Deferred functions of the cell don't run.
func Must(err error) {
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	notebook.Flush()
	os.Exit(1)
}

// Value returns v. If err isn't nil it ends the cell as [Must] does. It takes the results
// of a call.
func Value[T any](v T, err error) T {
	Must(err)
	return v
}

// Load returns the public data set of that name as [public.Load] does, or ends the cell.
// If the set has to be downloaded, there is a progress bar.
func Load(name string) *datasets.Dataset {
	if strings.HasSuffix(name, ".csv") {
		Must(fmt.Errorf("nb: %s is a file; nb.Read(%[1]q, \"target column\") reads it", name))
	}
	report := func(done, total int) {}
	finish := func() {}
	start := sync.OnceFunc(func() {
		ctx, done := viz.Progress(Context(), "download of "+name+" in kB")
		report, finish = forest.Progress(ctx), done
	})
	d, err := public.Load(forest.WithProgress(Context(), func(done, total int) {
		start()
		report(done/1000, total/1000)
	}), name)
	finish()
	return Value(d, err)
}

// Fit returns the model that the learner grows from the training data, or ends the cell. It
// shows the progress, and leaves one line with the time taken. The model is kept on disk and
// read from there the next time, in any cell, unless something has changed that a model
// depends on (see [once.Fit]). If it can't be kept, on a full disk for instance, Fit prints why,
// and the cell goes on with the model.
//
// If the learner doesn't take missing cells or categories, and there are some, they are prepared first by
// [datasets.Prepare], and Fit says so.
func Fit(learner forest.Learner, train *datasets.Dataset) *forest.Forest {
	learner = able(learner, train)
	label := nameOf(learner)
	if train.Name != "" {
		label += " on " + train.Name
	}
	ctx, done := viz.Progress(Context(), label)
	model, err := once.Fit(ctx, learner, train)
	done()
	if model != nil && err != nil {
		fmt.Fprintln(os.Stderr, "warning:", err)
		return model
	}
	return Value(model, err)
}
