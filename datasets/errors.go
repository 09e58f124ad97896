package datasets

import "errors"

// Errors of this package and of package forest wrap these, for use with [errors.Is]. The
// message of an error says which row, column, file or name it is about.
var (
	// ErrMissing means that a cell is missing (NaN) where none may be.
	ErrMissing = errors.New("missing cell")

	// ErrCategorical means that a column is categorical where all must be numeric.
	ErrCategorical = errors.New("is categorical")

	// ErrSchema means that the columns of a table differ, by name, number or kind, from
	// those that a model or a step was fitted on.
	ErrSchema = errors.New("the columns don't match")
)
