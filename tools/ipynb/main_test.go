package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
)

// picture returns a white w × h picture with the first n pixels black.
func picture(w, h, n int) image.Image {
	img := image.NewGray(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	for i := range n {
		img.SetGray(i%w, i/w, color.Gray{})
	}
	return img
}

func TestCheckDrawn(t *testing.T) {
	for _, test := range []struct {
		name string
		img  image.Image
		ok   bool
	}{
		{"no pixels at all", image.NewGray(image.Rect(0, 0, 0, 0)), false},
		{"white", picture(100, 100, 0), false},
		{"black", picture(100, 100, 100*100), false},
		{"specks", picture(100, 100, 19), false},
		{"a fifth of a percent", picture(100, 100, 20), true},
		{"half and half", picture(100, 100, 5000), true},
		{"all but specks", picture(100, 100, 100*100-19), false},
		{"transparent", image.NewNRGBA(image.Rect(0, 0, 10, 10)), false},
	} {
		if err := checkDrawn(test.img); (err == nil) != test.ok {
			t.Errorf("%s: got %v, want ok = %v", test.name, err, test.ok)
		}
	}
}

// code returns the JSON of an executed code cell with the given outputs.
func code(outputs string) string {
	return `{"cell_type":"code","execution_count":1,"source":["a\n","b"],"outputs":[` + outputs + `]}`
}

func parse(t *testing.T, cells ...string) *notebook {
	t.Helper()
	nb := new(notebook)
	must.Do(json.Unmarshal([]byte(`{"cells":[`+strings.Join(cells, ",")+`]}`), nb))
	return nb
}

func encoded(img image.Image) string {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

func TestProblems(t *testing.T) {
	const stdout = `{"output_type":"stream","name":"stdout","text":["x"]}`
	for _, test := range []struct {
		name, cell, want string // want is part of the only problem; "" means none
	}{
		{"a stream", code(stdout), ""},
		{"prose", `{"cell_type":"markdown","source":"# Title"}`, ""},
		{"nothing to run", `{"cell_type":"code","execution_count":null,"source":" \n","outputs":[]}`, ""},
		{"not run", `{"cell_type":"code","execution_count":null,"source":"f()","outputs":[]}`, "cell 1 has not run"},
		{"an error", code(`{"output_type":"error","ename":"E","evalue":"exit status 1"}`), "exit status 1"},
		{"no data", code(`{"output_type":"display_data","data":{}}`), "displays nothing"},
		{"empty HTML", code(`{"output_type":"display_data","data":{"text/html":["\n"," "]}}`), "empty text/html"},
		{"HTML", code(`{"output_type":"display_data","data":{"text/html":"<p>"}}`), ""},
		{"an object", code(`{"output_type":"display_data","data":{"application/json":{"a":1}}}`), ""},
		{"a drawing", code(`{"output_type":"display_data","data":{"image/png":"` + encoded(picture(9, 9, 9)) + `"}}`), ""},
		{"a blank", code(`{"output_type":"display_data","data":{"image/png":"` + encoded(picture(9, 9, 0)) + `"}}`), "blank"},
		{"no PNG", code(`{"output_type":"display_data","data":{"image/png":"aGVsbG8="}}`), "fault"},
	} {
		got := strings.Join(parse(t, test.cell).problems(), "; ")
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestDifferences(t *testing.T) {
	const (
		out  = `{"output_type":"stream","name":"stdout","text":"x"}`
		out2 = `{"output_type":"stream","name":"stdout","text":"y"}`
		err  = `{"output_type":"stream","name":"stderr","text":"z"}`
		html = `{"output_type":"display_data","data":{"text/html":"<p>"}}`
		both = `{"output_type":"display_data","data":{"text/plain":"p","image/png":"x"}}`
		flip = `{"output_type":"execute_result","data":{"image/png":"x","text/plain":"p"}}`
	)
	for _, test := range []struct {
		name           string
		committed, run []string
		want           int
	}{
		{"the same", []string{code(out), code(html)}, []string{code(out), code(html)}, 0},
		{"another text", []string{code(out)}, []string{code(out2)}, 0},
		{"a stream in two pieces", []string{code(out)}, []string{code(out + "," + out2)}, 0},
		{"streams in another order", []string{code(out + "," + err)}, []string{code(err + "," + out)}, 0},
		{"MIME types in another order", []string{code(both)}, []string{code(flip)}, 0},
		{"a lost display", []string{code(html + "," + html)}, []string{code(html)}, 1},
		{"an added display", []string{code("")}, []string{code(html)}, 1},
		{"a lost stream", []string{code(out), code(out)}, []string{code(out), code("")}, 1},
		{"another type", []string{code(html)}, []string{code(both)}, 1},
		{"a lost cell", []string{code(out), code(out)}, []string{code(out)}, 1},
		{"another source", []string{code("")}, []string{`{"cell_type":"code","source":"ab"}`}, 1},
	} {
		if got := differences(parse(t, test.committed...), parse(t, test.run...), false); len(got) != test.want {
			t.Errorf("%s: got %q, want %d differences", test.name, got, test.want)
		}
	}
}

func TestCellsMayLackDataOnlyWhereNoneAreAtHand(t *testing.T) {
	committed := parse(t, code(`{"output_type":"display_data","data":{"text/html":"<p>"}}`))
	executed := parse(t, code(`{"output_type":"stream","name":"stdout","text":["No data at hand: datasets: …\n"]}`))
	if got := differences(committed, executed, true); len(got) != 0 {
		t.Errorf("where data may be lacking: got %q", got)
	}
	if got := differences(committed, executed, false); len(got) != 1 {
		t.Errorf("where they must be there: got %q, want 1 difference", got)
	}
}
