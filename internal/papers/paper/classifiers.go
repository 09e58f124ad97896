package paper

import "strings"

// ClassifiersFile has the scores of methods of other libraries on the papers' splits: a line a set, method and split.
const ClassifiersFile = "classifiers.csv"

// Classified returns how records are read from ClassifiersFile: those on sets whose names begin with a prefix, such as
// "hrf/", which problems lack. The methods of the file get the names that names has for them, and others are left out.
// The repeat is the split.
func Classified(prefix string, names map[string]string) func(r *Results) []Record {
	return func(r *Results) (records []Record) {
		for _, record := range r.classified() {
			problem, begins := strings.CutPrefix(record.Problem, prefix)
			if method, known := names[record.Method]; begins && known {
				record.Problem, record.Method = problem, method
				records = append(records, record)
			}
		}
		return records
	}
}

// classified returns all records of ClassifiersFile, each with the score of its first measure.
func (r *Results) classified() []Record {
	if records, known := r.records[ClassifiersFile]; known {
		return records
	}
	var records []Record
	r.Lines(ClassifiersFile, func(l *Line) {
		run := Run{Problem: l.Text("set"), Method: l.Text("method"), Repeat: int(l.Number("split"))}
		switch l.Text("measure") {
		case "error", "kappa", "mse":
			records = append(records, Record{Run: run, Date: l.Text("date"), Result: Result{Score: l.Number("score"),
				Setting: l.Text("setting"), Seconds: l.Number("seconds")}})
		}
	})
	if r.records == nil {
		r.records = map[string][]Record{}
	}
	r.records[ClassifiersFile] = records
	return records
}

// Complete returns the means over at least the given number of repeats.
func (all Means) Complete(repeats int) (some Means) {
	for _, m := range all {
		if m.Repeats >= repeats {
			some = append(some, m)
		}
	}
	return some
}

// Apart compares our means with printed numbers, one a mean: what ours is more, and 1 where that is within two standard
// errors of both or within the print's rounding.
func Apart(means Means, printed func(m Mean) Number) (more, within []float64) {
	for _, m := range means {
		f := Against(m.Score, printed(m))
		more, within = append(more, f.Difference.Value), append(within, 0)
		if Same.Verdict(Found(f.Difference)) == Agrees {
			within[len(within)-1] = 1
		}
	}
	return more, within
}
