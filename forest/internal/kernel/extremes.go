package kernel

// Extremes returns the smallest and the largest of at least one value, none of them NaN. Of 0 and −0 it
// returns either.
func Extremes(values []float32) (least, greatest float32) {
	if len(values) < 8 {
		return extremesGo(values)
	}
	return extremesFast(values)
}

func extremesGo(values []float32) (least, greatest float32) {
	least, greatest = values[0], values[0]
	for _, v := range values {
		if v < least {
			least = v
		}
		if v > greatest {
			greatest = v
		}
	}
	return least, greatest
}
