package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// write makes files under a new folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func picture(t *testing.T, width, height int) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// notebookWith returns a notebook of a heading, a picture, another heading and a picture.
func notebookWith(t *testing.T, link string) string {
	t.Helper()
	shown := func(title, about string, width int) map[string]any {
		return map[string]any{"cell_type": "code", "metadata": map[string]any{}, "source": "draw()",
			"outputs": []any{map[string]any{
				"output_type": "display_data", "data": map[string]any{"image/png": picture(t, width, 100),
					"text/plain": []string{title + "\n", about}}}}}
	}
	text := func(lines ...string) map[string]any {
		return map[string]any{"cell_type": "markdown", "metadata": map[string]any{}, "source": lines}
	}
	b, err := json.Marshal(map[string]any{"nbformat": 4, "nbformat_minor": 5, "metadata": map[string]any{}, "cells": []any{
		text("# Trees, *slanted*\n", "\n", "See [the page]("+link+") and [below](#Figure-2:-κ-of-x)."),
		shown("A tree", "Decision tree of depth 2", 720),
		text("## Figure 2: κ of `x`\n"), shown("Figure 2: bars [2]", "", 100),
	}})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestGather(t *testing.T) {
	root := write(t, map[string]string{
		"README.md": "# P\n\n[`datasets`](datasets), [notes](docs/a.md#one), [code](tools/x.go), " +
			"[out](https://example.com/x)\n\n```go\nx[i](y)\n```\n",
		"CHANGELOG.md": "# Changes\n",
		"docs/a.md": "# A\n\n## One\n\n![p](p.png) [csv](results/r.csv) [results](results) " +
			"[start](../README.md) and `m[k](v)` [n](../notebooks/n.ipynb#Figure-2:-κ-%28of-x%29)\n",
		"docs/p.png":                "p",
		"docs/results/r.csv":        "1",
		"docs/results/README.md":    "# Results\n",
		"docs/results/items.md":     "# Items\n",
		"docs/reproduction.md":      "| [GRAF](results/items.md#graf) | 1 | 2 | 3 | 4 | 5 |\n",
		"notebooks/n.ipynb":         notebookWith(t, "../docs/a.md"),
		"notebooks/graf.ipynb":      notebookWith(t, "../docs/a.md"),
		"notebooks/lessons/l.ipynb": notebookWith(t, "../../docs/a.md"),
		"datasets/d.go":             "package datasets",
		"tools/x.go":                "package main",
		"tools/site/contents.md":    "\ncontents\n",
		"tools/site/playground.md":  "# Playground\n",
	})
	folder := write(t, map[string]string{"api/datasets.md": "# datasets\n\nPackage datasets reads tables, format 1.2, " +
		"from the [Table](<#Table>) of a file. More.\n\n\\[datasets.Nothing\\] \\[sim.Other\\]\n"})
	if err := gather(root, folder); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		"index.md": "# P\n\n[`datasets`](api/datasets.md), [notes](docs/a.md#one), " +
			"[code](https://github.com/obliqua-ml/obliqua/blob/main/tools/x.go), [out](https://example.com/x)\n\n" +
			"```go\nx[i](y)\n```\n\ncontents\n",
		"docs/a.md": "# A\n\n## One\n\n![p](p.png) [csv](results/r.csv) [results](results/README.md) " +
			"[start](../index.md) and `m[k](v)` [n](../notebooks/n.ipynb#figure-2-κ-of-x)\n",
		"docs/results/r.csv": "1",
		"api/datasets.md": "# datasets\n\nPackage datasets reads tables, format 1.2, from the [Table](<#Table>) of a " +
			"file. More.\n\n[datasets.Nothing](<datasets.md>) \\[sim.Other\\]\n",
		"api/index.md": "# Packages\n\nEvery package, and what it is for.\n\n| package | |\n| --- | --- |\n" +
			"| [datasets](datasets.md) | reads tables, format 1.2, from the [Table](<datasets.md#Table>) of a file. |\n\n" +
			"```{toctree}\n:hidden:\n\ndatasets <datasets>\n```\n",
		"playground.md": "# Playground\n",
		"gallery.md": "# Gallery\n\nEvery figure of the notebooks. Each leads to the section that computes it.\n\n" +
			"## Regions and trees\n\n:::{container} gallery\n" +
			"\n[![](gallery/lessons-l-01.png) A tree](notebooks/lessons/l.ipynb#trees-slanted)\n\n:::\n" +
			"\n## Trees, *slanted*\n\n:::{container} gallery\n" +
			"\n[![](gallery/graf-01.png) A tree](notebooks/graf.ipynb#trees-slanted)\n" +
			"\n[![](gallery/graf-02.png) Figure 2: bars \\[2\\]](notebooks/graf.ipynb#figure-2-κ-of-x)\n\n:::\n" +
			"\n## Trees, *slanted*\n\n:::{container} gallery\n" +
			"\n[![](gallery/n-01.png) A tree](notebooks/n.ipynb#trees-slanted)\n" +
			"\n[![](gallery/n-02.png) Figure 2: bars \\[2\\]](notebooks/n.ipynb#figure-2-κ-of-x)\n\n:::\n" +
			"\n## Trees, *slanted*\n\n:::{container} gallery\n" +
			"\n[![](gallery/lessons-l-02.png) Figure 2: bars \\[2\\]](notebooks/lessons/l.ipynb#figure-2-κ-of-x)\n\n:::\n",
		"gallery/papers.inc": "\n[![](gallery/graf-02.png) GRAF: 4 items agree, 5 don't]" +
			"(notebooks/graf.ipynb#figure-2-κ-of-x)\n",
	} {
		got, err := os.ReadFile(filepath.Join(folder, file))
		if err != nil {
			t.Error(err)
		} else if string(got) != want {
			t.Errorf("%s is\n%s\nwant\n%s", file, got, want)
		}
	}
	for i, size := range []image.Point{{360, 50}, {100, 100}} {
		f, err := os.Open(filepath.Join(folder, []string{"gallery/n-01.png", "gallery/n-02.png"}[i]))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if c, err := png.DecodeConfig(f); err != nil || c.Width != size.X || c.Height != size.Y {
			t.Errorf("thumbnail %d is %d × %d (%v), want %v", i+1, c.Width, c.Height, err, size)
		}
	}
	b, err := os.ReadFile(filepath.Join(folder, "notebooks/n.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(b, []byte(`"mystnb":{"image":{"alt":"A tree"}}`)) {
		t.Error("the picture has no alternative text")
	}
	if !bytes.Contains(b, []byte("[below](#figure-2-κ-of-x)")) {
		t.Errorf("no link to the site's anchor of a heading in %s", b)
	}
}

func TestGatherRefusesDeadLinks(t *testing.T) {
	files := map[string]string{"README.md": "[a](docs/none.md)", "CHANGELOG.md": "", "tools/site/contents.md": ""}
	err := gather(write(t, files), write(t, map[string]string{"api/datasets.md": "Package datasets reads."}))
	if err == nil || !strings.Contains(err.Error(), "README.md links to docs/none.md, which does not exist") {
		t.Errorf("error %v", err)
	}
}

func TestCheck(t *testing.T) {
	good := map[string]string{
		"index.html": `<a href="a/b.html#x">1</a><a href="#top">2</a><p id="top"></p>
			<script src="s.js"></script><a href="https://example.com">3</a><img src="data:image/png;base64,"><a href="a/">4</a>
			<a href="lite/?path=l.ipynb">5</a>`,
		"lite/index.html":    "",
		"lite/files/l.ipynb": "",
		"a/b.html": `<a name="x"></a><a href="../index.html">back</a>
			<link rel="canonical" href="https://example.com/b">`,
		"a/index.html": `<h1 id="h">a</h1>`,
		"s.js":         "",
	}
	if err := check(write(t, good)); err != nil {
		t.Error(err)
	}
	for page, want := range map[string]string{
		`<a href="a/c.html">1</a>`:                                       "leads to no file",
		`<a href="../secret.html">1</a>`:                                 "leads to no file",
		`<a href="a/b.html#y">1</a>`:                                     "leads to no place",
		`<a href="lite/?path=m.ipynb">1</a>`:                             "leads to no notebook",
		`<a href="#y">1</a>`:                                             "leads to no place",
		`<script src="https://cdn.example.com/x.js"></script>`:           "fetched from elsewhere",
		`<script src="//cdn.example.com/x.js"></script>`:                 "fetched from elsewhere",
		`<link rel="stylesheet" href="https://fonts.example.com/f.css">`: "fetched from elsewhere",
		`<img src="https://example.com/p.png">`:                          "fetched from elsewhere",
		`<a href="https://[x">1</a>`:                                     "missing ']'",
	} {
		good["index.html"] = page
		if err := check(write(t, good)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", page, err, want)
		}
	}
	if err := check(t.TempDir()); err == nil {
		t.Error("a folder without pages passed")
	}
}

// A notebook has a link that opens it in JupyterLite, where it leads to what JupyterLite doesn't have.
func TestLite(t *testing.T) {
	root := write(t, map[string]string{
		"README.md": "", "CHANGELOG.md": "", "tools/site/contents.md": "", "tools/site/playground.md": "",
		"notebooks/cluster.ipynb":             notebookWith(t, "lessons/l.ipynb"),
		"notebooks/lessons/l.ipynb":           notebookWith(t, "../cluster.ipynb"),
		"notebooks/lessons/solutions/l.ipynb": notebookWith(t, "../l.ipynb"),
	})
	site, jupyter := write(t, map[string]string{"api/datasets.md": "Package datasets reads."}), t.TempDir()
	if err := errors.Join(gather(root, site), lite(root, jupyter)); err != nil {
		t.Fatal(err)
	}
	const link = `href=\"../../lite/notebooks/index.html?path=lessons/l.ipynb\"`
	for file, want := range map[string]bool{
		filepath.Join(site, "notebooks/lessons/l.ipynb"): true,
		filepath.Join(site, "notebooks/cluster.ipynb"):   false,
		filepath.Join(jupyter, "lessons/l.ipynb"):        false,
	} {
		b, err := os.ReadFile(file)
		if text := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(b)); err != nil ||
			strings.Contains(text, link) != want {
			t.Errorf("%v, link to run %s: %v, want %v", err, file, !want, want)
		}
	}
	for file, want := range map[string]string{
		"lessons/l.ipynb":           "[the page](https://github.com/obliqua-ml/obliqua/blob/main/notebooks/cluster.ipynb)",
		"lessons/solutions/l.ipynb": "[the page](../l.ipynb) and [below](#Figure-2:-κ-of-x)",
	} {
		b, err := os.ReadFile(filepath.Join(jupyter, file))
		if err != nil || !strings.Contains(string(b), want) || strings.Contains(string(b), "image/png") {
			t.Errorf("%v, %s lacks %s, or has outputs", err, file, want)
		}
	}
	if _, err := os.Stat(filepath.Join(jupyter, "cluster.ipynb")); err == nil {
		t.Error("a notebook that starts other programs is among those that JupyterLite runs")
	}
	b, err := os.ReadFile(filepath.Join(site, "notebooks/cluster.ipynb"))
	if err != nil || !strings.Contains(string(b), "because it starts other programs") {
		t.Errorf("%v, cluster.ipynb doesn't say why it doesn't run in a browser", err)
	}
}
