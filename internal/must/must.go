// Package must is for tests, experiments and tools that are sure of their data: an error there is a mistake of the
// program.
package must

// Value returns v. It panics with the error's text if there is one.
func Value[T any](v T, err error) T {
	Do(err)
	return v
}

// Do panics with the error's text if there is one.
func Do(err error) {
	if err != nil {
		panic(err.Error())
	}
}
