package nb_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	"github.com/obliqua-ml/obliqua/notebooks/nb"
	"github.com/obliqua-ml/obliqua/viz"
)

// hostile are names that would end the text they stand in, or run.
var hostile = []string{`<img src=x onerror=alert(1)>`, `</script><script>alert(1)</script>`, `" onmouseover="alert(1)`,
	`</style><b>`, `a & b <i>`, "\x1b]0;owned\a"}

// allowed are the elements and attributes of cards.
var allowed = " article style h3 script p dl dt dd ul li table caption thead tbody tr th td details summary div b " +
	"span svg path class aria-label aria-hidden role scope colspan width height viewbox d fill a href "

// checkHTML returns the text of a card's page as a browser shows it. It is an error if a name has become an element, an
// attribute or part of a script, or if the page asks for anything else.
func checkHTML(t *testing.T, page string) string {
	t.Helper()
	root := must.Value(html.Parse(strings.NewReader("<body>" + page)))
	var text strings.Builder
	for node := range root.Descendants() {
		switch {
		case node.Type == html.ElementNode && node.Data == "script" && len(node.Attr) > 0:
			if _, err := base64.StdEncoding.DecodeString(node.FirstChild.Data); err != nil {
				t.Errorf("data of a script: %v", err)
			}
		case node.Type == html.ElementNode && (node.Data == "script" || node.Data == "style"):
			if code := node.FirstChild.Data; strings.Contains(code, "alert") || strings.Contains(code, "://") {
				t.Errorf("%s: %s", node.Data, code)
			}
		case node.Type == html.ElementNode && node.Data != "html" && node.Data != "head" && node.Data != "body":
			if !strings.Contains(allowed, " "+node.Data+" ") {
				t.Errorf("an element %s", node.Data)
			}
			for _, a := range node.Attr {
				if a.Key != "style" && !strings.Contains(strings.ToLower(allowed), " "+strings.ToLower(a.Key)+" ") ||
					a.Key == "style" && strings.Contains(a.Val, "(") {
					t.Errorf("an attribute %s=%q of %s", a.Key, a.Val, node.Data)
				}
			}
		case node.Type == html.TextNode && node.Parent.Data != "script" && node.Parent.Data != "style":
			text.WriteString(node.Data + "\n")
		}
	}
	return text.String()
}

func TestCardEscapes(t *testing.T) {
	for _, name := range hostile {
		table := viz.Table{Title: name, Columns: []string{name}, Note: name}
		table.Add(name)
		inner := []nb.Part{nb.Text(name), nb.Facts{{name, name}}, nb.Warnings{name}, table,
			nb.Bars{Title: name, Names: []string{name}, Values: []float64{1}, Format: "%.1f"}}
		card := nb.Card{Title: name, Parts: append(inner, nb.Fold{Title: name, Parts: inner})}
		shown, text := checkHTML(t, card.HTML()), card.String()
		want := strings.ReplaceAll(strings.ReplaceAll(name, "\x1b", `\x1b`), "\a", `\a`)
		if n := strings.Count(shown, want); n < 17 {
			t.Errorf("%q stands %d times in\n%s", name, n, shown)
		}
		if n := strings.Count(text, want); n < 17 || strings.ContainsAny(text, "\x1b\a") {
			t.Errorf("%q stands %d times in\n%s", name, n, text)
		}
	}
}

func TestCardText(t *testing.T) {
	table := viz.Table{Columns: []string{"a", "b"}}
	table.Add("x", "10")
	card := nb.Card{Title: "Irises", Parts: []nb.Part{
		nb.Facts{{"rows", "150"}, {"größe", "4 kB"}},
		nb.Warnings{"One is wrong."},
		nb.Bars{Title: "importance", Names: []string{"wide", "é"}, Values: []float64{0.5, 0.25}, Format: "%.2f"},
		nb.Fold{Title: "first rows", Parts: []nb.Part{table, nb.Text("two\nlines")}},
	}}
	want := `Irises

rows   150
größe  4 kB

! One is wrong.

importance
wide  0.50  ████████████████████
é     0.25  ██████████

first rows
  a   b
  x  10
  two
  lines
`
	if got := card.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// There is nothing to show of nothing, nor of what is no picture or card.
func TestShowOfNothing(t *testing.T) {
	readtest.WantPanic(t, "viz: grid without charts", func() { nb.Show() })
	readtest.WantPanic(t, "nb: there is no card of a struct {}", func() { nb.Show(struct{}{}) })
}
