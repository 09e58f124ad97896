package eval_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest/ccf"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/rf"
)

// Do oblique splits pay on the silhouettes of vehicles?
func ExampleCompare() {
	ctx := context.Background()
	vehicles, err := public.Load(ctx, "statlog-vehicle")
	if err != nil {
		panic(err)
	}
	comparison, err := eval.Compare(ctx, []eval.Contender{
		{Name: "random forest", Learner: rf.Learner{Trees: 20}}, // the baseline
		{Name: "CCF", Learner: ccf.Learner{Trees: 20}, Oblique: true},
	}, vehicles, nil)
	if err != nil {
		panic(err)
	}
	verdict, sentence := comparison.Verdict()
	fmt.Println(verdict > 0)
	fmt.Println(strings.ReplaceAll(sentence, ". That", ".\nThat"))
	// Output:
	// true
	// Slanted splits pay here: CCF errs on 18.9 % of the rows it hasn't seen, random forest on 26.0 %.
	// That is 7.1 percentage points less (95 % interval: 3.5 to 10.8 percentage points less).
}
