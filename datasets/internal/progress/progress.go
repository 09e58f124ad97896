// Package progress holds what packages datasets and public share about reports of downloads. The first has the types,
// so that a program that shows them links no network.
package progress

// A Key is what a context keeps the function under that reports are given to.
type Key struct{}
