package forest

import (
	"iter"
	"math"
	"strings"
)

// Format formats the function with the given feature names, such as "petal length −
// 0.5·sepal width", or "0" if all its coefficients are 0. Features without a name
// are x0, x1, …. Numbers have the given significant digits, of which 0 means six, or all before the point.
func (fn *Function) Format(names []string, digits int) string {
	var b strings.Builder
	for term := range fn.Terms(names, digits) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(term)
	}
	if b.Len() == 0 {
		return "0"
	}
	return b.String()
}

// Terms iterates over the nonzero terms of the function, such as "petal length" and
// "− 0.5·sepal width", as [Function.Format] writes them: linear terms first, then
// squares and products, then the bias. A LowRank's squares are those of sums, such as
// "− (a − 2·b + 0.5)²", with the centre multiplied out; sums of more than five
// terms are cut to "(a − 2·b + c + d + … (9 terms))²".
func (fn *Function) Terms(names []string, digits int) iter.Seq[string] {
	return func(yield func(string) bool) {
		first := true
		for c, product := range fn.terms(names, digits) {
			if c == 0 {
				continue
			}
			if !yield(formatTerm(c, product, first, digits)) {
				return
			}
			first = false
		}
	}
}

// terms iterates over all terms of the function: coefficients with what they are
// multiplied by, which is empty for the bias.
func (fn *Function) terms(names []string, digits int) iter.Seq2[float64, string] {
	return func(yield func(float64, string) bool) {
		bias := float64(fn.Bias)
		for i, j := range fn.list() {
			if !yield(float64(fn.Weights[i]), featureName(names, j)) {
				return
			}
			if fn.Kind == LowRank {
				bias -= float64(float64(fn.Weights[i]) * float64(fn.Centre[i]))
			}
		}
		more := true
		switch fn.Kind {
		case Quadratic:
			more = fn.products(names, yield)
		case LowRank:
			more = fn.squares(names, digits, yield)
		}
		if more {
			yield(bias, "")
		}
	}
}

// formatTerm formats a coefficient times a product, or the coefficient alone if product
// is empty, with its sign. The first term has a sign only if it is negative.
func formatTerm(c float64, product string, first bool, digits int) string {
	sign := ""
	switch {
	case c < 0 && first:
		sign = "−"
	case c < 0:
		sign = "− "
	case !first:
		sign = "+ "
	}
	switch magnitude := number(math.Abs(c), digits); {
	case product == "":
		return sign + magnitude
	case magnitude == "1":
		return sign + product
	default:
		return sign + magnitude + "·" + product
	}
}
