// Package prepared keeps what learners compute from a table before they grow trees.
package prepared

import (
	"sync"

	"github.com/obliqua-ml/obliqua/datasets"
)

// Data holds what was computed from the table that came last. Several goroutines may use it. The zero value holds
// nothing.
type Data struct {
	mu    sync.Mutex
	train *datasets.Dataset
	value any
}

// Of returns what prepare returns for train. If d holds a T of the same table, that is returned, and prepare isn't
// called. A nil d holds nothing. Errors aren't kept.
func Of[T any](d *Data, train *datasets.Dataset, prepare func() (T, error)) (T, error) {
	if d == nil {
		return prepare()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if v, ok := d.value.(T); ok && d.train == train {
		return v, nil
	}
	v, err := prepare()
	if err == nil {
		d.train, d.value = train, v
	}
	return v, err
}
