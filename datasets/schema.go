package datasets

// A Schema describes the columns and the target of a table. A forest keeps the schema of
// its training data, so that other files can be read in the same way; see [CSV.Like].
type Schema struct {
	Features []Feature // the columns, in order
	Target   string    // name of the target column; empty for unlabelled data
	Classes  []string  // class names; nil for regression and unlabelled data
}

// Schema returns the schema of d, whose slices it shares.
func (d *Dataset) Schema() *Schema {
	d.mustExist()
	return &Schema{Features: d.Features, Target: d.Target, Classes: d.Classes}
}
