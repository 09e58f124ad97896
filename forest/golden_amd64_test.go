//go:build !noasm && !amd64.v3

package forest_test

// gonumAssembly says whether gonum sums as it did when the hashes were made.
const gonumAssembly = true
