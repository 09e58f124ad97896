package nb

import (
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/plain"
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
	var facts Facts
	for step, next, ok := forest.Unpipe(learner); ok; step, next, ok = forest.Unpipe(learner) {
		facts.add("prepares by", "%T%+[1]v", step)
		learner = next
	}
	v := reflect.Indirect(reflect.ValueOf(learner))
	parameters := Table{Columns: []string{"parameter", "value"}, Note: "Bold, or with a star: not the default."}
	if v.Kind() == reflect.Struct {
		addParameters(&parameters, v)
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
	return Card{fmt.Sprint(v.Type()), []Part{facts, parameters}}
}

// addParameters adds a struct's fields, in bold where they aren't zero, which stands for the default.
func addParameters(t *Table, v reflect.Value) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		switch {
		case field.Anonymous && field.Type.Kind() == reflect.Struct:
			addParameters(t, v.Field(i))
		case !field.IsExported():
		case v.Field(i).IsZero():
			t.Add(field.Name, "default")
		default:
			t.Add("*"+field.Name, "*"+plain.Short(fmt.Sprintf("%+v", v.Field(i)), wordsLength))
		}
	}
}
