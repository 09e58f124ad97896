package datasets

import "errors"

// What errors of this package and of package forest wrap, for [errors.Is]. The errors
// themselves say which row, column, file or name they are about.
var (
	// ErrMissing is the error of a missing cell (NaN) where none is allowed.
	ErrMissing = errors.New("missing cell")

	// ErrSchema is the error of a table whose columns are not those that a model or a
	// step was fitted on, by name, number or kind.
	ErrSchema = errors.New("other columns")

	// ErrUnknownSet is the error of [Load] for a name that it doesn't know.
	ErrUnknownSet = errors.New("unknown data set")
)
