package forest

import (
	"github.com/obliqua-ml/obliqua/forest/internal/kernel"
)

// divideLinear divides rows as divide does, by the sum of a[i] times feature j[i].
func (w *walker) divideLinear(in, out []uint16, j []int32, a []float32, threshold float32) int {
	switch len(j) {
	case 0:
		return kernel.Divide2(in, out, w.slanted(0), w.slanted(0), 0, 0, threshold)
	case 1:
		return kernel.Divide2(in, out, w.slanted(j[0]), w.slanted(j[0]), a[0], 0, threshold)
	case 2:
		return kernel.Divide2(in, out, w.slanted(j[0]), w.slanted(j[1]), a[0], a[1], threshold)
	case 3:
		return kernel.Divide3(in, out, w.slanted(j[0]), w.slanted(j[1]), w.slanted(j[2]), a[0], a[1], a[2], threshold)
	case 4:
		return kernel.Divide4(in, out, w.slanted(j[0]), w.slanted(j[1]), w.slanted(j[2]), w.slanted(j[3]),
			a[0], a[1], a[2], a[3], threshold)
	}
	sums := w.sums[:len(in)]
	last := len(j) - 1
	kernel.Set4(sums, in, w.slanted(j[0]), w.slanted(j[1]), w.slanted(j[2]), w.slanted(j[3]), a[0], a[1], a[2], a[3])
	for i := 4; i < last; i++ {
		kernel.Add(sums, in, w.slanted(j[i]), a[i])
	}
	return kernel.DivideSum(in, out, sums, w.slanted(j[last]), a[last], threshold)
}
