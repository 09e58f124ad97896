package datasets

// step reads a step that was fitted on the given columns, and returns the columns that it makes. Steps of kinds 1 to 7
// are those of models saved before there were programs:
//
//	1 (OneHot), 2 (Ordinal): nothing
//	3 (Impute): for each column the value of missing cells, float32
//	4 (Standardise): for each column mean and standard deviation, float64
//	5 (TargetEncoding): number of training rows, number of folds, seed (8 bytes),
//	  number of outputs, and for each what column names have after |
//	  for all rows and, if there are several folds, for all rows but those of each fold:
//	    mean target of each output, float64
//	    for each categorical column, category and output the code, float64
//	6 (Prepare, the first of its steps): for each column 2·e + 1 if it has an indicator of
//	  missing cells, or else 2·e, where e is 0 if it is left out, 1 unchanged, 2 indicators,
//	  3 ordered; after 2, the number of categories with rows, and their codes, ascending
//	7 (Prepare, normal scores): for each column the number of knots, and for each its value and
//	  score, float32, ascending
func (r *stepReader) step(before []Feature) []Column {
	kind := r.number("a kind of step")
	if kind == programKind || kind == scaledKind {
		r.program = true
		columns := r.columns(before)
		if kind == scaledKind {
			r.scales(before)
		}
		return columns
	}
	var encoded func(f Feature, j int) []Column
	if kind == 5 {
		encoded = r.targetEncoded(before)
	}
	var columns []Column
	for j, f := range before {
		switch kind {
		case 1:
			r.named(len(f.Categories), len(f.Name)+1)
			columns = append(columns, oneHot(f, j)...)
		case 2:
			columns = append(columns, ordinal(f, j)...)
		case 3:
			columns = append(columns, Column{f.Name, j, []Op{op(opFill, r.floats(1, 4)...)}})
		case 4:
			scale := r.floats(2, 8)
			columns = append(columns, column(f.Name, j)...)
			if f.Categories == nil {
				columns[j].Ops = []Op{op(opScale, scale...)}
			}
		case 5:
			columns = append(columns, encoded(f, j)...)
		case 6:
			columns = append(columns, r.arranged(f, j)...)
		case 7:
			columns = append(columns, column(f.Name, j)...)
			if n := r.count(8, "knots"); n > 0 {
				columns[j].Ops = []Op{op(opLine, r.floats(2*n, 4)...)}
			}
		default:
			r.failf("a step of kind %d; this version knows 1 to %d", kind, programKind)
		}
	}
	return columns
}

// named notes that columns are made whose names are so many bytes longer than the file says. They may take memory in
// proportion to the bytes read: every category repeats the name of its column.
func (r *stepReader) named(columns, longer int) {
	r.names += columns * longer
	if most := 1<<16 + 64*r.size; r.names > most {
		r.failf("columns would have %d bytes of names; want at most %d", r.names, most)
	}
}

// targetEncoded reads codes and returns the columns that each column becomes.
func (r *stepReader) targetEncoded(before []Feature) func(f Feature, j int) []Column {
	split := r.split()
	outputs := make([]string, r.count(1, "outputs"))
	text, all := 0, 0 // bytes, and categories of all columns
	for o := range outputs {
		outputs[o] = r.text()
		text += len(outputs[o])
	}
	first := make([]int, len(before)) // category of each column
	for j, f := range before {
		first[j] = all
		all += len(f.Categories)
		if f.Categories != nil {
			r.named(1, text+len(outputs)*(len(f.Name)+1+split.folds))
		}
	}
	if len(outputs) == 0 {
		r.failf("TargetEncoding of no outputs")
	}
	tables := 1
	if split.folds > 1 {
		tables += split.folds
	}
	var priors, codes [][]float64
	for range tables {
		priors, codes = append(priors, r.floats(len(outputs), 8)), append(codes, r.floats(all*len(outputs), 8))
	}
	return func(f Feature, j int) []Column {
		if f.Categories == nil {
			return column(f.Name, j)
		}
		made := make([][][]float64, tables)
		for k := range made {
			for o := range outputs {
				var table []float64
				for c := range f.Categories {
					table = append(table, float64(float32(codes[k][(first[j]+c)*len(outputs)+o])))
				}
				made[k] = append(made[k], append(table, float64(float32(priors[k][o]))))
			}
		}
		return encodedColumns(f.Name, j, outputs, split, made)
	}
}

// arranged reads what becomes of column j.
func (r *stepReader) arranged(f Feature, j int) []Column {
	head := r.number("what becomes of a column")
	var columns []Column
	switch head / 2 {
	case 0: // it is left out
	case 1:
		columns = column(f.Name, j)
	case 2:
		codes := r.codes(f)
		r.named(len(codes), len(f.Name)+1)
		columns = indicated(f, j, codes)
	case 3:
		if columns = ordered(f, j); columns == nil {
			r.failf("column %q is ordered; want categories that are intervals", f.Name)
		}
	default:
		r.failf("column %q is encoded in way %d; this version knows 0 to 3", f.Name, head/2)
	}
	if head%2 == 1 {
		r.named(1, len(f.Name)+len(missingSuffix))
		columns = append(columns, missingCells(f, j)...)
	}
	return columns
}

// codes reads the codes of at least two categories of f, ascending.
func (r *stepReader) codes(f Feature) []int {
	codes := make([]int, r.count(1, "categories with rows"))
	for i := range codes {
		c := r.number("a category")
		if c >= uint64(len(f.Categories)) || i > 0 && int(c) <= codes[i-1] {
			r.failf("column %q has rows of category %d; want ascending numbers below %d", f.Name, c, len(f.Categories))
		}
		codes[i] = int(c)
	}
	if len(codes) < 2 {
		r.failf("column %q becomes indicators of %d categories; want two or more", f.Name, len(codes))
	}
	return codes
}
