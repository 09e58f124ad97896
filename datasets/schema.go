package datasets

// A Schema says what a table holds: its columns and its target. A forest keeps the one
// that it was trained on, so that other files can be read alike; see [CSV.Like].
type Schema struct {
	Features []Feature // the columns, in order
	Target   string    // name of the target column; empty for unlabelled data
	Classes  []string  // class names; nil for values and unlabelled data
}

// Schema returns the schema of d, whose slices it shares.
func (d *Dataset) Schema() *Schema {
	return &Schema{Features: d.Features, Target: d.Target, Classes: d.Classes}
}
