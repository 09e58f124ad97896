// Package exercise judges the answers to the exercises of the lessons in notebooks/lessons.
// [Number] judges answers that are numbers. Each other exercise is a function that takes an answer: a list of rows,
// a function or a learner. It returns a [Judgement], which says whether the answer is right and, if
// it isn't, what it seems to be instead.
//
//	%%
//	fmt.Println(exercise.Number("1.1", 0.25))
//
// The lessons' problems are here, too, and what several of their cells do.
//
// What is right is computed here, by trying all possibilities, by algebra or by training a
// forest. No result is stored.
package exercise

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/obliqua-ml/obliqua/notebooks/nb"
)

// Blank stands for a number that is not filled in yet. It is not a number (NaN).
var Blank = math.NaN()

// A Judgement says what an answer is worth.
type Judgement struct {
	Answered bool   // something was filled in
	Right    bool   // it is right
	Text     string // why it is right, or a hint
}

// String returns the judgement in words, in lines of at most 100 characters.
func (j Judgement) String() string {
	switch {
	case !j.Answered:
		return "Not answered yet."
	case j.Right:
		return wrapped("Right. " + j.Text)
	}
	return wrapped("Not yet. " + j.Text)
}

// wrapped breaks a text into lines of at most 100 characters, as far as its words allow.
func wrapped(text string) string {
	var b strings.Builder
	length := 0
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i > 0 && length+1+n > 100:
			b.WriteByte('\n')
			length = 0
		case i > 0:
			b.WriteByte(' ')
			length++
		}
		b.WriteString(word)
		length += n
	}
	return b.String()
}

// Must prints the judgement or, unless the answer is right, ends the cell with it, as
// [nb.Must] does. Solutions call it, so that executing them tests them.
func (j Judgement) Must() {
	if !j.Right {
		nb.Must(errors.New(j.String()))
	}
	fmt.Println(j)
}

func right(format string, args ...any) Judgement {
	return Judgement{Answered: true, Right: true, Text: fmt.Sprintf(format, args...)}
}

func wrong(format string, args ...any) Judgement {
	return Judgement{Answered: true, Text: fmt.Sprintf(format, args...)}
}

// Number judges a number, the answer to an exercise that is called by lesson and place:
//
//	1.1  how much the split x2 ≤ 3.5 decreases the Gini impurity of the points of [Eight], to within 0.001
//	1.3  the least depth of a tree that puts every field of a chequered board of three by five fields into a leaf
//	     of its own
//	2.1  the probability that a given one of ten rows is in no place of a bootstrap sample of ten, to within 0.001
//	2.2  the variance of the mean of 50 numbers that have variance 1 each and correlation 0.3 in pairs, to within
//	     0.0005
//	3.1  how many times as many cells SPORF reads for each row of a node as a random forest, with 100 features and the
//	     defaults of both: d = p candidates with λ = 3/p, and √p candidates; a candidate reads a cell for each of its
//	     features
//	3.2  the least number of vertical strips of equal width for which a staircase along the diagonal of the unit square
//	     gets at most 1 % of the area wrong
//	4.1  the permutation importance of x for the rows with x = 1, 2, 3 (class "no") and 4, 6, 7 ("yes") and the model
//	     that says "yes" where x > 5: the mean increase of the error over all orders of the cells, to within 0.001
//	4.2  how much the error of a random forest on the test rows grows when x1 and its copy are shuffled together: in the
//	     same order, so that they stay a pair; the forest has 200 trees and seed 1, and is trained on Copies(500, 1),
//	     the test rows are Copies(2000, 2), and answers are right to within 0.015, because they depend on the order drawn
//	5.1  the standard error of an error rate of 0.1 that was measured on 400 independent test rows, to within 0.0005
//	5.2  the t statistic of the corrected resampled t-test (Nadeau and Bengio 2003) on [Differences], to within 0.01
//	6.1  what boosting predicts for x = 1 after two trees of one split each, fitted to the values 1, 2, 6, 11 of
//	     x = 1, 2, 3, 4, from their mean and with a rate of 0.5, to within 0.005
//	6.2  the probability of the second class after one round with a rate of 0.1 and Newton's step, in a leaf with eight
//	     of its rows among ten, where all rows together have a share of 0.2, to within 0.001
//
// A NaN is no answer. Number panics if no such exercise asks for a number.
func Number(exercise string, answer float64) Judgement {
	solve := solutions[exercise]
	if solve == nil {
		panic("exercise: exercise " + exercise + " doesn't ask for a number")
	}
	if math.IsNaN(answer) {
		return Judgement{}
	}
	s := solve()
	if math.Abs(answer-s.answer) <= s.tolerance {
		return right("%s", s.why)
	}
	for _, m := range s.mistakes {
		if math.Abs(answer-m.answer) <= s.tolerance {
			return wrong("%s", m.hint)
		}
	}
	switch {
	case probabilities[exercise] && (answer < 0 || answer > 1):
		return wrong("A probability is between 0 and 1.")
	case answer == math.Trunc(answer) && s.answer != math.Trunc(s.answer):
		return wrong("%s Did you divide whole numbers? 3/10 is 0 in Go, so write 3.0/10.", s.hint)
	}
	return wrong("%s", s.hint)
}

// probabilities are the exercises whose answer is one.
var probabilities = map[string]bool{"2.1": true, "6.2": true}

// solutions work out what [Number] judges by.
var solutions = map[string]func() solution{
	"1.1": gain, "1.3": depth, "2.1": leftOut, "2.2": averaged, "3.1": cells, "3.2": strips, "4.1": shuffled, "4.2": pair,
	"5.1": standardError, "5.2": corrected, "6.1": corrections, "6.2": newton,
}

// A solution is the right number, and what to say to it and to wrong ones.
type solution struct {
	answer, tolerance float64
	why               string
	mistakes          []mistake
	hint              string // to a number that is none of the mistakes
}

// A mistake is a wrong number that tells what was misunderstood.
type mistake struct {
	answer float64
	hint   string
}
