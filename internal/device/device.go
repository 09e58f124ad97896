// Package device is the contract between the CPU and a device on which GRAF's trees grow.
package device

// A Device does the large steps of growing trees, such as a graphics card does. The forest is the same, byte for byte.
// If the device fails, growing ends with its error.
type Device interface {
	// Load takes the rows that a tree grows on: cells holds them one after another, m cells
	// each, and doesn't change until the result is closed. It is called once a fit if trees
	// see all features, otherwise once a tree, from the goroutine that grows the tree.
	Load(cells []float32, m int) (Rows, error)
}

// Rows are rows that a [Device] has loaded.
type Rows interface {
	// Best draws the step's planes and sets best to the one with the largest gain of those
	// that have rows of the target on both sides, the first if there are ties. It returns
	// false, and best may be anything, if there is none. Several goroutines may call Best at
	// the same time.
	//
	// Forests are the same as without a device only if every number is. So sums start at 0
	// and go over features, rows, classes and regions in their order, and each product, sum
	// and quotient is rounded, to float64 unless said otherwise. No number is infinite.
	//
	// Let lo and hi be the smallest and the largest value of feature j in the target, and
	// mean the sum of its values, divided by their number.
	//
	//   - Weight j of plane k is (lo + u·(hi − lo))·Scale, rounded to float32. u is Float64
	//     number k·m+j, from 0, of a forest.Rand with the given State.
	//   - Its threshold is the sum of weight·mean over features, rounded down to float32.
	//   - A row is on the right if the sum of weight·value over features is larger than the
	//     threshold. Here all products and sums are rounded to float32.
	//   - With a the sum of n·Inverse over the classes of some rows, n of each, and b that of
	//     the squares of n·Inverse, their Z is the number of rows times 1 − b/(a·a), or 0 if
	//     that is negative (eq. 8).
	//   - A plane's gain is the sum, over the regions that it cuts, of the region's Z less
	//     that of both sides: Z − (left + right), but (Z − left) − right for at most Few rows.
	Best(step *Step, best *Plane) (bool, error)

	// Close gives up the rows. No call of Best follows.
	Close()
}

// A Step is what [Rows] draw planes for: the impure regions, and the target among them.
type Step struct {
	Rows    []int32  // of the regions, one after another; those of a region are sorted by class
	Regions []Region // which have all Rows
	Target  int      // the region that planes are drawn for; its rows aren't all equal

	Planes int    // to draw
	State  uint64 // of the random numbers
	Scale  float64

	Inverse []float64 // 1/N_c, by class
	Few     int       // see Rows.Best
}

// A Region is a part of the space with rows of several classes.
type Region struct {
	Runs []Run   // its rows by class, ascending
	Z    float64 // eq. 8
}

// A Run is the number N of a region's rows of one Class.
type Run struct{ Class, N int32 }

// A Plane is the best one of a [Step]. Its slices have their lengths when a [Device] gets it.
type Plane struct {
	Gain      float64
	Weights   []float32 // by feature
	Threshold float32
	Right     []uint8 // for each of the step's Rows: 1 if it is on the right, otherwise 0
}
