package nb

import (
	"fmt"
	"path"
	"reflect"
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
	pages = map[string]string{"auto": "auto", "boost": "boost", "godt": "godt", "graf": "graf", "mix": "mix", "rf": "hrf",
		"sporf": "sporf", "tao": "tao"}
)

const repository = "github.com/obliqua-ml/obliqua"

// learnerCard returns the card of a learner.
func learnerCard(learner forest.Learner) Card {
	var facts Facts
	for step, next, ok := forest.Unpipe(learner); ok; step, next, ok = forest.Unpipe(learner) {
		facts = append(facts, [2]string{"prepares by", fmt.Sprintf("%T%+[1]v", step)})
		learner = next
	}
	v := reflect.Indirect(reflect.ValueOf(learner))
	parameters := Table{Columns: []string{"parameter", "value"}}
	changed := 0
	if v.Kind() == reflect.Struct {
		addParameters(&parameters, &changed, v)
	}
	if len(parameters.Rows) > 0 {
		facts = append(facts, [2]string{"parameters", fmt.Sprintf("%d of %d differ from their defaults", changed,
			len(parameters.Rows))})
	}
	if changed > 0 {
		parameters.Note = "Bold, or with a star: not the default."
	}
	from := v.Type().PkgPath()
	method := path.Base(from)
	if paper := papers[method]; paper != "" {
		facts = append(facts, [2]string{"paper", paper})
	}
	c := Card{fmt.Sprint(v.Type()), []Part{facts, parameters}}
	if !strings.HasPrefix(from, repository+"/forest/") {
		return c // it is somebody else's
	}
	if page := pages[method]; page != "" {
		c.Parts = append(c.Parts, link{"What the method does", "https://" + repository + "/blob/main/docs/" + page + ".md"})
	}
	return Card{c.Title, append(c.Parts, link{"All parameters", "https://pkg.go.dev/" + from + "#" + v.Type().Name()})}
}

// addParameters adds a struct's fields, in bold where they aren't zero, which stands for the default.
func addParameters(t *Table, changed *int, v reflect.Value) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		switch {
		case field.Anonymous && field.Type.Kind() == reflect.Struct:
			addParameters(t, changed, v.Field(i))
		case !field.IsExported():
		case v.Field(i).IsZero():
			t.Add(field.Name, "default")
		default:
			*changed++
			t.Add("*"+field.Name, "*"+plain.Short(fmt.Sprintf("%+v", v.Field(i)), wordsLength))
		}
	}
}

// A link is a part that leads to a page of the project.
type link struct{ words, address string }

func (l link) html(b *strings.Builder) {
	fmt.Fprintf(b, "<p><a href=\"%s\">%s</a></p>\n", escaped(l.address), escaped(l.words))
}

func (l link) text(b *strings.Builder) { fmt.Fprintf(b, "%s: %s\n", l.words, plain.Text(l.address)) }
