package exercise

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/obliqua-ml/obliqua/forest"
)

func corrections() solution {
	// The mean is 5, and −4, −3, 1, 6 are left over: the best split is at 2.5, with means of ∓3.5. Then −2.25, −1.25,
	// −0.75, 4.25 are, and the best split is at 3.5, with means of −4.25/3 and 4.25.
	const first = 5 - 3.5/2
	const want = first - 4.25/3/2
	return solution{
		want, 0.005,
		"5 − 1.75 − 0.71 = 2.54: the first tree splits at 2.5, and what it leaves over, −2.25, −1.25, −0.75 and 4.25, is " +
			"best split at 3.5.",
		[]mistake{
			{want - 5, "You left out the mean that boosting begins with."},
			{5 - 3.5 - 2.5/3, "You took the corrections in full. The rate is 0.5."},
			{first, "That is after one tree. Take half of what it says off the values, and fit the second to the rest."},
			{first - 1.75/2, "You used the first split twice. Which is the best one for what is left over?"},
		},
		"Subtract the mean, 5. Find the split with the least squares, and subtract half of each side's mean. Do it again.",
	}
}

func newton() solution {
	odds := math.Log(0.2 / 0.8)
	const step = (8 - 10*0.2) / (10 * 0.2 * 0.8)
	after := func(step float64) float64 { return 1 / (1 + math.Exp(-odds-step)) }
	return solution{
		after(step / 10), 0.001,
		"The step is 6/1.6 = 3.75, so the score rises from −1.386 to −1.011, a probability of 0.267.",
		[]mistake{
			{odds + step/10, "That is the score. Turn it into a probability."},
			{after(step), "You took the whole step. The rate is 0.1."},
			{0.2 + step/10, "You added the step to the probability. It belongs to the log-odds."},
		},
		"p is 0.2 for all rows. Sum label − p over the leaf, divide by the sum of p(1 − p), add a tenth to ln(0.2/0.8).",
	}
}

// Keep judges a function that returns how many rounds a boosted model keeps: those up to the lowest loss, where
// boosting ends when patience rounds in a row haven't gone below it. losses[r] is the loss out of fold after r rounds.
func Keep(keep func(losses []float64, patience int) int) Judgement {
	for seed := range uint64(100) {
		rng := forest.NewRand(7, seed)
		losses, patience := make([]float64, 40), 2+rng.Intn(6)
		for r := range losses {
			losses[r] = math.Abs(float64(r-10))/10 + 2*rng.Float64()
		}
		losses[0] = 5 // so that no curve keeps 0 rounds, which is no answer
		best := 0
		for r := 0; r <= best+patience; r++ {
			if losses[r] < losses[best] {
				best = r
			}
		}
		switch keep(losses, patience) {
		case best:
		case 0:
			if seed == 0 {
				return Judgement{}
			}
			return wrong("For losses of %.2f it returns 0, which is no answer. The model keeps %d rounds.", losses, best)
		case best + patience:
			return wrong("That is the round at which boosting ends. The model keeps the rounds up to the lowest loss.")
		case floats.MinIdx(losses):
			return wrong("That is the lowest loss of all. Boosting ends before it gets there.")
		default:
			return wrong("With a patience of %d and losses of %.2f the model keeps %d rounds.", patience, losses, best)
		}
	}
	return right("It keeps what boosting keeps, on 100 curves.")
}
