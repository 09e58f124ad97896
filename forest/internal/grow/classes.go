package grow

import "github.com/obliqua-ml/obliqua/forest"

// A Numbering numbers the classes of some rows from 0, in the order in which they are met.
type Numbering struct {
	Classes []int32 // those met so far
	numbers []int32 // by class: 1 + its number, or 0
}

// NewNumbering returns a numbering of some of so many classes.
func NewNumbering(classes int) Numbering { return Numbering{numbers: make([]int32, classes)} }

// Begin forgets the classes.
func (n *Numbering) Begin() {
	for _, class := range n.Classes {
		n.numbers[class] = 0
	}
	n.Classes = n.Classes[:0]
}

// Of returns the number of a class.
func (n *Numbering) Of(class int32) int32 {
	if n.numbers[class] == 0 {
		n.Classes = append(n.Classes, class)
		n.numbers[class] = int32(len(n.Classes))
	}
	return n.numbers[class] - 1
}

// DivideClasses divides two classes or more into two groups, with all divisions into nonempty ones equally likely. It
// sets side to −1 or 1, by class.
func DivideClasses(side []float64, classes []int32, rng *forest.Rand) {
	for mixed := false; !mixed; {
		for _, c := range classes {
			side[c] = float64(2*rng.Intn(2) - 1)
			mixed = mixed || side[c] != side[classes[0]]
		}
	}
}
