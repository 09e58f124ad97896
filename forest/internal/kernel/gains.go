package kernel

// A Run is the number of rows of a class in a region of a GRAF tree.
type Run struct{ Class, N int32 }
