package samples

// UpTo returns 0, 1, … n−1.
func UpTo(n int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = int32(i)
	}
	return s
}

// Shuffled returns 0, 1, … n−1 in a random order; intn returns a random number from 0 to n − 1.
func Shuffled(n int, intn func(n int) int) []int32 {
	order := make([]int32, n)
	for i := range order {
		j := intn(i + 1)
		order[i] = order[j]
		order[j] = int32(i)
	}
	return order
}
