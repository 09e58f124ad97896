package nb_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"html"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/auto"
	"github.com/obliqua-ml/obliqua/forest/boost"
	"github.com/obliqua-ml/obliqua/forest/ccf"
	"github.com/obliqua-ml/obliqua/forest/godt"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/forest/tao"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/notebooks/nb"
	"github.com/obliqua-ml/obliqua/sim"
)

var (
	packedPattern = regexp.MustCompile(`<script type="text/plain">([^<]*)</script>`)
	enginePattern = regexp.MustCompile(`(?s)<script>\{\n(// A what-if.*?)\}</script>`)
)

// panel returns the packed forest of a page and the script that runs it, "" if there is no panel.
func panel(page string) (packed, engine string) {
	data, script := packedPattern.FindStringSubmatch(page), enginePattern.FindStringSubmatch(page)
	if data == nil || script == nil {
		return "", ""
	}
	return data[1], script[1]
}

// unpacked returns the packed forest as JSON has it.
func unpacked(t *testing.T, packed string) (m map[string]any) {
	t.Helper()
	b := must.Value(base64.StdEncoding.DecodeString(packed))
	must.Do(json.NewDecoder(must.Value(gzip.NewReader(bytes.NewReader(b)))).Decode(&m))
	return m
}

// columns returns the columns of a packed forest.
func columns(m map[string]any) (all []map[string]any) {
	for _, c := range m["Columns"].([]any) {
		all = append(all, c.(map[string]any))
	}
	return all
}

// node runs a script after the engine's, and reads what it prints as JSON.
func node(t *testing.T, engine, script string, result any) {
	t.Helper()
	program, err := exec.LookPath("node")
	if err != nil {
		t.Skip("needs node")
	}
	cmd := exec.CommandContext(t.Context(), program, "-")
	cmd.Stdin = strings.NewReader("const document = { querySelectorAll: () => [] };" + engine +
		"(async () => {" + script + "})()")
	out, err := cmd.CombinedOutput()
	if err == nil {
		err = json.Unmarshal(out, result)
	}
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// everything returns a table of numbers, categories, dates and an offset, with missing cells.
func everything(n int, seed uint64, classes ...string) *datasets.Dataset {
	rng := rand.New(rand.NewPCG(seed, 1))
	d := &datasets.Dataset{Target: "y", Classes: classes, Features: []datasets.Feature{{Name: "a"},
		{Name: "colour", Categories: []string{"red", "blue", `</script><b>`, "green"}},
		{Name: "day", Scale: datasets.Scale{Unit: "date 2006-01-02"}}, {Name: "income"},
		{Name: "time", Scale: datasets.Scale{Offset: 1.7e12, Step: 1000, Unit: "ms"}}}, Columns: make([][]float32, 5)}
	for i := range n {
		colour := rng.IntN(4)
		cells := []float64{rng.NormFloat64(), float64(colour), float64(18000 + rng.IntN(700)),
			math.Exp(3 * rng.NormFloat64()), float64(rng.IntN(1000))}
		y := cells[0] + float64(colour%3) + float64(int(cells[2])%7)/3 + math.Log(cells[3])/3 + cells[4]/500
		for j, v := range cells {
			if rng.IntN(8) == 0 && i > 0 {
				v = math.NaN()
			}
			d.Columns[j] = append(d.Columns[j], float32(v))
		}
		if classes == nil {
			d.Values = append(d.Values, y)
		} else {
			d.Labels = append(d.Labels, int32(min(len(classes)-1, max(0, int(y)))))
		}
	}
	return d
}

// seven returns waves as seven classes.
func seven(n int, seed uint64) *datasets.Dataset {
	d := sim.Waveform{}.Sample(n, seed)
	d.Classes = strings.Split("a b c d e f g", " ")
	for i := range d.Labels {
		d.Labels[i] = int32(math.Abs(float64(d.At(i, 6)+d.At(i, 15)))) % 7
	}
	return d
}

// said returns what a model says of rows: probabilities, or values.
func said(t *testing.T, model *forest.Forest, d *datasets.Dataset) [][]float64 {
	if !model.Regression() {
		return must.Value(model.Proba(t.Context(), d))
	}
	var all [][]float64
	for _, v := range must.Value(model.PredictValues(t.Context(), d)) {
		all = append(all, []float64{v})
	}
	return all
}

// A page says the same of random rows as the model does.
func TestWhatIfPredicts(t *testing.T) {
	waves, other := sim.Waveform{}.Sample(300, 1), sim.Waveform{}.Sample(100, 2)
	trunk, trunks := sim.Trunk{Features: 4}.Sample(300, 1), sim.Trunk{Features: 4}.Sample(100, 2)
	mixed := everything(400, 1, "no", "perhaps", "yes")
	counts := everything(300, 1)
	for i, y := range counts.Values {
		counts.Values[i] = math.Round(math.Abs(y))
	}
	for _, test := range []struct {
		name        string
		learner     forest.Learner
		train, rows *datasets.Dataset
	}{
		{"rf", rf.Learner{Trees: 20}, waves, other},
		{"missing", rf.Learner{Trees: 20}, mixed, everything(100, 2, "no", "perhaps", "yes")},
		{"values", rf.Learner{Trees: 20}, everything(300, 1), everything(100, 2)},
		{"sporf", sporf.Learner{Trees: 20}, waves, other},
		{"filled", sporf.Learner{Trees: 20, Density: 0.5}, mixed, everything(100, 2, "no", "perhaps", "yes")},
		{"ccf", ccf.Learner{Trees: 10}, waves, other},
		{"two", boost.Learner{}, trunk, trunks},
		{"seven", boost.Learner{Rounds: 40}, seven(300, 1), seven(100, 2)},
		{"boosted", boost.Learner{}, everything(300, 1), everything(100, 2)},
		{"counts", boost.Learner{Loss: boost.Poisson}, counts, everything(100, 2)},
		{"prepared", forest.Pipeline(sporf.Learner{Trees: 20}, datasets.Prepare{}), mixed,
			everything(100, 2, "no", "perhaps", "yes")},
		{"auto", auto.Learner{Trees: 20}, mixed, everything(100, 2, "no", "perhaps", "yes")},
		{"auto of values", auto.Learner{Trees: 20}, everything(300, 1), everything(100, 2)},
	} {
		t.Run(test.name, func(t *testing.T) {
			model := must.Value(test.learner.Fit(t.Context(), test.train))
			packed, engine := panel(nb.CardOf(model).HTML())
			if packed == "" {
				t.Fatal("no panel")
			}
			rows := make([][]*float64, test.rows.N()) // null for a missing cell
			for i := range rows {
				for j, c := range test.rows.Features {
					var cell *float64
					if v := test.rows.At(i, j); v == v {
						number := c.Scale.Value(v)
						cell = &number
					}
					rows[i] = append(rows[i], cell)
				}
			}
			var got [][]float64
			node(t, engine, fmt.Sprintf(`const m = await obliqua.unpack("%s");
				console.log(JSON.stringify(%s.map(row => obliqua.predict(m, row.map(v => v ?? NaN)))))`, packed,
				must.Value(json.Marshal(rows))), &got)
			for i, want := range said(t, model, test.rows) {
				for c, v := range want {
					if !(math.Abs(got[i][c]-v) <= 1e-6*max(1, math.Abs(v))) {
						t.Fatalf("row %d: got %v, want %v", i, got[i], want)
					}
				}
			}
		})
	}
}

// Shapley values add up, and those of a sum are its terms: y = 10·[a > 0] + 3·[b > 0].
func TestWhatIfShapley(t *testing.T) {
	tree := func(feature int32, value float32) forest.Tree {
		return forest.Tree{Nodes: []forest.Node{{Split: feature, Next: 2, Weight: 1}, forest.ValueLeaf(0, 1),
			forest.ValueLeaf(value, 1)}}
	}
	model := &forest.Forest{Features: make([]string, 12), Trees: []forest.Tree{tree(0, 10), tree(1, 3), tree(2, 7)},
		Rule: forest.Sum, Base: []float64{1}}
	packed, engine := panel(nb.CardOf(model).HTML())
	for _, moved := range []int{2, 12} { // exact, and by orders
		var got struct{ Effects []float64 }
		node(t, engine, fmt.Sprintf(`const m = await obliqua.unpack("%s"), from = Array(12).fill(-1), to = [...from];
			to.fill(1, 0, %d);
			console.log(JSON.stringify({ Effects: obliqua.shapley(m, from, to, 0).effects }))`, packed, moved), &got)
		for j, want := range []float64{10, 3, 7, 0} {
			if j < moved && math.Abs(got.Effects[j]-want) > 1e-9 {
				t.Errorf("%d moved: got %v", moved, got.Effects)
			}
		}
	}
}

// Small trees are packed by hand. The leaves are the first output and the second, which get 1.
func TestWhatIfPacks(t *testing.T) {
	one, two, threshold := math.Float32bits(1), math.Float32bits(2), math.Float32bits(2.5)
	for _, test := range []struct {
		fn   forest.Function
		want []uint32
	}{
		{forest.Linear([]int32{1}, []float32{1}), []uint32{1, 8, threshold, 1, 0, 0, 1, one, 0, 1, 1, one}},
		{forest.Linear([]int32{0, 1}, []float32{2, 1}),
			[]uint32{7, 11, threshold, 0, two, 1, one, 0, 0, 1, one, 0, 1, 1, one}},
		{forest.Function{Kind: forest.Set, Features: []int32{1}, Categories: []uint32{0b101}, MissingLeft: true},
			[]uint32{4, 9, 1, 1, 0b101, 0, 0, 1, one, 0, 1, 1, one}},
	} {
		model := stump(test.fn, 2.5, "a", "b")
		if test.fn.Kind == forest.Set {
			model.Categories, model.Fills = [][]string{nil, {"x", "y", "z"}}, []float32{0, -1}
		}
		m := unpacked(t, first(panel(nb.CardOf(model).HTML())))
		b := must.Value(base64.StdEncoding.DecodeString(m["Words"].(string)))
		words := make([]uint32, len(b)/4)
		binary.Decode(b, binary.LittleEndian, words)
		if !slices.Equal(words, test.want) {
			t.Errorf("got %v, want %v", words, test.want)
		}
	}
}

// Ranges and the typical row are known from a table, or else from the model, whether steps prepare the table or not.
func TestWhatIfRanges(t *testing.T) {
	d := everything(500, 1, "no", "yes")
	want := [][3]float64{{-2.4, 0, 2.4}, {}, {18000, 18350, 18700}, {0, 1, 1100}, {1.7e12, 1.7e12 + 5e5, 1.7e12 + 1e6}}
	for _, learner := range []forest.Learner{rf.Learner{Trees: 20},
		forest.Pipeline(sporf.Learner{Trees: 20}, datasets.Prepare{})} {
		model := must.Value(learner.Fit(t.Context(), d))
		report := filepath.Join(t.TempDir(), "report.html")
		nb.Save(report, d, model)
		for _, page := range []string{nb.CardOf(model).HTML(), string(must.Value(os.ReadFile(report)))} {
			for j, c := range columns(unpacked(t, first(panel(page)))) {
				low, start, high, w := c["Low"].(float64), c["Start"].(float64), c["High"].(float64), want[j]
				about := (w[2] - w[0]) / 5
				if j != 1 && (math.Abs(start-w[1]) > about || low < w[0]-about || low >= start || start >= high) {
					t.Errorf("got %v, want about %v", c, w)
				}
			}
		}
	}
}

// In a browser, the prediction follows a slider.
func TestWhatIfInBrowser(t *testing.T) {
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if found, err := exec.LookPath(name); err == nil && program == "" {
			program = found
		}
	}
	if program == "" {
		t.Skip("needs Chromium")
	}
	model := must.Value(rf.Learner{Trees: 3}.Fit(t.Context(), sim.Trunk{Features: 3}.Sample(100, 1)))
	model.Features[0] = hostile[1]
	// The page is loaded, and printed, when its last picture has come.
	page := "<meta charset=utf-8>" + nb.CardOf(model).HTML() + `<script>
		const panel = document.querySelector(".what-if"), said = () => panel.querySelector("[role=status]")?.textContent;
		panel.open = true;
		let before;
		setInterval(() => {
			if (before === undefined && said()) {
				before = said();
				for (const slider of panel.querySelectorAll("input")) {
					slider.value = slider.max;
					slider.dispatchEvent(new Event("input"));
				}
			} else if (before !== undefined && said() !== before && panel.textContent.includes("(Shapley values)")) {
				panel.dataset.changed = true;
				fetch("/done");
			}
		}, 20);</script><img src="/last" alt="">`
	done, once := make(chan bool), sync.Once{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, page)
		case "/done":
			once.Do(func() { close(done) })
		case "/last":
			select {
			case <-done:
			case <-time.After(time.Minute): // the page says nothing
			}
		}
	}))
	defer server.Close()
	dom := must.Value(exec.CommandContext(t.Context(), program, "--headless=new", "--no-sandbox", "--disable-gpu",
		"--disable-dev-shm-usage", "--no-first-run", "--user-data-dir="+t.TempDir(), "--dump-dom", server.URL).Output())
	for _, want := range []string{`data-changed="true"`, "(Shapley values)", "<span>" + html.EscapeString(hostile[1]),
		`aria-valuetext="`} {
		if !strings.Contains(string(dom), want) {
			t.Errorf("no %s in %s", want, dom)
		}
	}
}

func first(packed, _ string) string { return packed }

// A large forest is cut, quadratic splits and linear leaves have no panel, and the engine is small.
func TestWhatIfLimits(t *testing.T) {
	d := sim.Waveform{}.Sample(2000, 1)
	page := nb.CardOf(must.Value(rf.Learner{Trees: 500}.Fit(t.Context(), d))).HTML()
	packed, engine := panel(page)
	trees := len(unpacked(t, packed)["Roots"].([]any))
	if len(packed) > 2<<20 || trees < 20 || trees >= 500 || len(page)-len(packed) > 300_000 || len(engine) > 300_000 ||
		!strings.Contains(page, fmt.Sprintf("(by the first %d of 500 trees)", trees)) {
		t.Errorf("%d bytes of %d trees, and %d others", len(packed), trees, len(page)-len(packed))
	}
	quadratic := godt.Splitting{Divider: godt.SeparateFull}
	for _, learner := range []forest.Learner{godt.Learner{Trees: 2, Splitting: quadratic},
		tao.Learner{Trees: 2, LinearLeaves: true}} {
		model := must.Value(learner.Fit(t.Context(), d))
		if packed, _ := panel(nb.CardOf(model).HTML()); packed != "" {
			t.Errorf("a panel of %s", model.Method)
		}
	}
}
