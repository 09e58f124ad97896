package old

import (
	"context"
	"runtime"
	"time"

	"github.com/obliqua-ml/obliqua/cluster"
	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/sim"
)

// ClusterCosts are the times that [cluster.Fit] is made of, on one engine, for one learner and
// one data set.
type ClusterCosts struct {
	First time.Duration // the first tree, grown by the program, and the encoding of the data
	Begin time.Duration // a task for each slot that only reads the data: sending, starting, reading
	Round time.Duration // one more such task for each slot
	Tree  time.Duration // a tree, in a worker, while all slots grow trees
	Merge time.Duration // what the program does for each tree that it gets

	Slots     int
	DataBytes int // of the file with the data
	TreeBytes int // of a tree, in the forest's file
}

// rounds is how many tasks a slot gets in [cluster.Fit].
const rounds = 4

// Time predicts how long [cluster.Fit] takes for a forest, on an engine with that many slots:
// Begin and three rounds more, the trees, shared out evenly, and the merging, which one
// program does for all. It knows nothing of slots that are slower than others. bandwidth is
// that of the program's network, in bytes a second: by it each of the other slots gets its
// copy of the data, and the trees come back, as text, which takes four bytes for three. 0 means
// that this costs nothing, as on one machine.
func (c ClusterCosts) Time(trees, slots int, bandwidth float64) time.Duration {
	t := c.First + c.Begin + (rounds-1)*c.Round
	t += time.Duration((trees-1+slots-1)/slots) * c.Tree
	t += time.Duration(trees) * c.Merge
	if bandwidth > 0 {
		bytes := max(0, slots-c.Slots)*c.DataBytes + trees*c.TreeBytes*4/3
		t += time.Duration(float64(bytes) / bandwidth * float64(time.Second))
	}
	return t
}

// A sample asks a worker to read the data and to grow some trees.
type sample struct {
	Learner cluster.Learner
	Data    string
	Trees   int
}

func init() {
	cluster.Handle("sample", func(ctx context.Context, w *cluster.Worker, q sample) (time.Duration, error) {
		train, err := w.Data(q.Data)
		if err != nil || q.Trees == 0 {
			return 0, err
		}
		learner, err := q.Learner.Value()
		if err != nil {
			return 0, err
		}
		start := time.Now()
		_, err = forest.FitPart(ctx, learner, train, 0, q.Trees)
		return time.Since(start) / time.Duration(q.Trees), err
	})
}

// MeasureClusterCosts measures the parts, each once, with the engine's slots, growing trees
// trees in each. It returns an error where [cluster.Fit] does.
func MeasureClusterCosts(
	ctx context.Context, e cluster.Engine, learner forest.Learner, train *datasets.Dataset, trees int,
) (c ClusterCosts, err error) {
	c.Slots = e.Slots()
	sent, err := cluster.EncodeLearner(learner)
	if err != nil {
		return c, err
	}
	start := time.Now()
	if _, err = forest.FitPart(ctx, learner, train, 0, 1); err != nil {
		return c, err
	}
	data, err := cluster.DataFile(train)
	if err != nil {
		return c, err
	}
	c.First, c.DataBytes = time.Since(start), len(data.Data)

	ask := func(tasks, trees int) (elapsed, mean time.Duration, err error) {
		questions := make([]sample, tasks)
		for i := range questions {
			questions[i] = sample{sent, data.Name, trees}
		}
		start := time.Now()
		err = cluster.Map(ctx, e, "sample", []cluster.File{data}, questions, func(_ int, each time.Duration) error {
			mean += each / time.Duration(tasks)
			return nil
		})
		return time.Since(start), mean, err
	}
	if c.Begin, _, err = ask(c.Slots, 0); err != nil {
		return c, err
	}
	all, _, err := ask(rounds*c.Slots, 0)
	if err != nil {
		return c, err
	}
	c.Round = max(0, all-c.Begin) / (rounds - 1)
	if _, c.Tree, err = ask(c.Slots, trees); err != nil {
		return c, err
	}
	return c, c.measureMerge(ctx, learner, train)
}

// measureMerge measures what one process does for each tree: decoding and joining.
func (c *ClusterCosts) measureMerge(ctx context.Context, learner forest.Learner, train *datasets.Dataset) error {
	p, err := forest.FitPart(ctx, learner, train, 0, 2)
	if err != nil {
		return err
	}
	b, err := p.MarshalBinary()
	if err != nil {
		return err
	}
	c.TreeBytes = len(b) / 2
	const times = 20
	start := time.Now()
	for range times {
		if err := new(forest.Part).UnmarshalBinary(b); err != nil {
			return err
		}
	}
	c.Merge = time.Since(start) / (2 * times)
	return nil
}

// clusterTimes compares what [ClusterCosts.Time] predicts with what [cluster.Fit] takes, with 1 and 2 workers of one
// core each: X. The score is the prediction divided by the time. The slow setting has more rows and trees; the numbers
// mean little on a busy machine.
func clusterTimes(s size) []Run {
	rows, trees := pick(s, 20_000, 200_000), pick(s, 100, 400)
	return study{
		problems: []problem{{name: "trunk"}}, methods: []method{{name: "rf"}},
		xs: []int{1, 2}, repeats: 3, order: "pmrx", seed: 1,
		do: func(ctx context.Context, t *trial) error {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(t.X)) // so that each worker has one core
			e, learner := cluster.Local{Workers: t.X}, rf.Learner{Trees: trees, Seed: 1}
			train := sim.Trunk{Features: 20}.Sample(rows, 1)
			c, err := MeasureClusterCosts(ctx, e, learner, train, 5)
			if err != nil {
				return err
			}
			start := time.Now()
			if _, err := cluster.Fit(ctx, e, learner, train); err != nil {
				return err
			}
			t.Seconds = time.Since(start).Seconds()
			predicted := c.Time(trees, e.Slots(), 0)
			t.Score = predicted.Seconds() / t.Seconds
			for name, d := range map[string]time.Duration{
				"first": c.First, "begin": c.Begin, "round": c.Round, "tree": c.Tree, "merge": c.Merge, "predicted": predicted,
			} {
				t.More[name] = d.Seconds()
			}
			return nil
		},
	}.runs()
}

// clusterMemory grows forests of X trees with two workers. The score is the peak of this process's memory divided by
// the size of the forest. Each run needs a process of its own, because a peak never falls.
func clusterMemory(s size) []Run {
	return repeated("trunk", "rf", pick(s, 500, 5000), 1, func(ctx context.Context, t *trial) error {
		train := sim.Trunk{Features: 20}.Sample(pick(s, 20_000, 200_000), 1)
		f, err := cluster.Fit(ctx, cluster.Local{Workers: 2}, rf.Learner{Trees: t.X, Seed: 1}, train)
		if err != nil {
			return err
		}
		peak := peakMegabytes()
		b, err := f.MarshalBinary()
		t.More["peakMB"], t.More["forestMB"] = peak, float64(len(b))/1e6
		t.Score = peak / t.More["forestMB"]
		return err
	})
}
