// Package exercise judges the answers to the exercises of the lessons in notebooks/lessons.
// Each exercise is a function that takes an answer: a number, a list of rows, a function
// or a learner. It returns a [Judgement], which says whether the answer is right and, if
// it isn't, what it seems to be instead.
//
//	%%
//	fmt.Println(exercise.Gain(0.25))
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

// A mistake is a wrong number that tells what was misunderstood.
type mistake struct {
	answer float64
	hint   string
}

// number judges a number: right if it is want to within the tolerance, otherwise with the
// hint of the first mistake that it equals to within the tolerance, or else with the last
// hint. A NaN is no answer.
func number(answer, want, tolerance float64, why string, mistakes []mistake, hint string) Judgement {
	if math.IsNaN(answer) {
		return Judgement{}
	}
	if math.Abs(answer-want) <= tolerance {
		return right("%s", why)
	}
	for _, m := range mistakes {
		if math.Abs(answer-m.answer) <= tolerance {
			return wrong("%s", m.hint)
		}
	}
	return wrong("%s", hint)
}
