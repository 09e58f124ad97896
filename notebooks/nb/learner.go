package nb

import (
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/plain"
	"github.com/obliqua-ml/obliqua/viz"
)

// papers are where the methods of a package below forest come from, and pages the documents about them.
var (
	papers = map[string]string{
		"ccf":  "Rainforth and Wood: Canonical Correlation Forests. arXiv 1507.05444, 2015",
		"godt": "Sivanand: thesis, University of Southampton, 2026",
		"graf": "Gupta, Jindal, Jayadeva, Sengupta and Chandra: Guided Random Forest and its application to data " +
			"approximation",
		"oblique":  "Menze, Kelm, Splitthoff, Koethe and Hamprecht: On oblique random forests. ECML PKDD 2011",
		"oc1":      "Murthy, Kasif and Salzberg: A System for Induction of Oblique Decision Trees. JAIR 2, 1994",
		"rotation": "Rodríguez, Kuncheva and Alonso, TPAMI 28, 2006; Blaser and Fryzlewicz, JMLR 17, 2016",
		"sporf":    "Tomita et al.: Sparse Projection Oblique Randomer Forests. JMLR 21, 2020",
		"tao": "Carreira-Perpiñán and Zharmagambetov: Ensembles of Bagged TAO Trees Consistently Improve over Random " +
			"Forests, AdaBoost and Gradient Boosting. FODS 2020",
	}
	pages = []string{"auto", "boost", "godt", "graf", "mix", "sporf", "tao"}
)

const repository = "https://github.com/obliqua-ml/obliqua"

// learnerCard returns the card of a learner.
func learnerCard(learner forest.Learner) Card {
	var facts factPart
	for step, next, ok := forest.Unpipe(learner); ok; step, next, ok = forest.Unpipe(learner) {
		facts.add("prepares by", "%T%+[1]v", step)
		learner = next
	}
	v := reflect.Indirect(reflect.ValueOf(learner))
	parameters := viz.Table{Columns: []string{"parameter", "value"}, Note: "Bold, or with a star: not the default."}
	for _, set := range settings(nil, v) {
		name, value := set[0], set[1]
		if value != defaultValue {
			name, value = "*"+name, "*"+plain.Short(value, wordsLength)
		}
		parameters.Add(name, value)
	}
	from := v.Type().PkgPath()
	method := path.Base(from)
	if paper := papers[method]; paper != "" {
		facts.add("paper", "%s", paper)
	}
	if slices.Contains(pages, method) {
		facts.add("page", "%s/blob/main/docs/%s.md", repository, method)
	}
	if within, ok := strings.CutPrefix("https://"+from, repository); ok {
		facts.add("package", "%s/tree/main%s", repository, within)
	}
	return Card{fmt.Sprint(v.Type()), []cardPart{facts, parameters}}
}

const defaultValue = "default"

// settings appends the names and values of a struct's exported fields, and of those of structs that it embeds. A zero
// stands for the default.
func settings(to [][2]string, v reflect.Value) [][2]string {
	if v.Kind() != reflect.Struct {
		return to
	}
	for i := range v.NumField() {
		switch field := v.Type().Field(i); {
		case field.Anonymous && field.Type.Kind() == reflect.Struct:
			to = settings(to, v.Field(i))
		case !field.IsExported():
		case v.Field(i).IsZero():
			to = append(to, [2]string{field.Name, defaultValue})
		case v.Field(i).CanFloat():
			to = append(to, [2]string{field.Name, amount(v.Field(i).Float())})
		default:
			to = append(to, [2]string{field.Name, fmt.Sprintf("%+v", v.Field(i))})
		}
	}
	return to
}

// unpiped returns the learner that a pipeline's steps come before, or the learner itself.
func unpiped(learner forest.Learner) forest.Learner {
	for _, next, ok := forest.Unpipe(learner); ok; _, next, ok = forest.Unpipe(learner) {
		learner = next
	}
	return learner
}

// nameOf returns the name of a learner, such as "sporf" or "rf.CART".
func nameOf(learner forest.Learner) string {
	return strings.TrimSuffix(strings.TrimPrefix(fmt.Sprintf("%T", unpiped(learner)), "*"), ".Learner")
}

// namesOf returns names of learners. To one that others share the fields are added in which these differ.
func namesOf(learners []forest.Learner) []string {
	names := make([]string, len(learners))
	alike := map[string][]int{}
	for i, l := range learners {
		names[i] = nameOf(l)
		alike[names[i]] = append(alike[names[i]], i)
	}
	for _, of := range alike {
		var same []forest.Learner
		for _, i := range of {
			same = append(same, learners[i])
		}
		fields, values := differences(same)
		for k, i := range of {
			for f, field := range fields {
				names[i] += fmt.Sprintf(", %s %s", field, values[k][f])
			}
		}
	}
	return names
}

// differences returns the fields in which learners of one type differ, and their values by learner and field.
func differences(learners []forest.Learner) (fields []string, values [][]string) {
	all := make([][][2]string, len(learners))
	for i, l := range learners {
		all[i] = settings(nil, reflect.Indirect(reflect.ValueOf(unpiped(l))))
		if len(all[i]) != len(all[0]) { // of another type
			return nil, make([][]string, len(learners))
		}
	}
	values = make([][]string, len(learners))
	if len(all) == 0 {
		return nil, values
	}
	for f, set := range all[0] {
		if !slices.ContainsFunc(all, func(of [][2]string) bool { return of[f] != set }) {
			continue
		}
		fields = append(fields, set[0])
		for i, of := range all {
			values[i] = append(values[i], of[f][1])
		}
	}
	return fields, values
}
