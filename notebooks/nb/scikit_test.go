package nb_test

import (
	"encoding/json"
	"go/scanner"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
)

// A task of the notebook from-scikit-learn.ipynb stands in a heading, with scikit-learn's code, and the cell below.
type scikitTask struct {
	name                 string
	tasks, there, tokens int
}

func scikitTasks(t *testing.T) (tasks []scikitTask) {
	t.Helper()
	var notebook struct {
		Cells []struct {
			Type   string `json:"cell_type"`
			Source any
		}
	}
	must.Do(json.Unmarshal(must.Value(os.ReadFile("../from-scikit-learn.ipynb")), &notebook))
	heading := regexp.MustCompile("(?s)^## (.*?)\n\n```python\n(.*?)\n```")
	for i, cell := range notebook.Cells {
		if m := heading.FindStringSubmatch(text(cell.Source)); m != nil {
			tasks = append(tasks, scikitTask{name: m[1], tasks: strings.Count(m[1], ";") + 1, there: pythonTokens(m[2]),
				tokens: goTokens(text(notebook.Cells[i+1].Source))})
		}
	}
	return tasks
}

// text returns a cell's source, which is a text or its lines.
func text(source any) string {
	if lines, ok := source.([]any); ok {
		var b strings.Builder
		for _, line := range lines {
			b.WriteString(line.(string))
		}
		return b.String()
	}
	return source.(string)
}

// goTokens counts the tokens of a cell, without the line %% and the semicolons that no one writes.
func goTokens(cell string) (n int) {
	source := []byte(strings.TrimPrefix(cell, "%%\n"))
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(source))
	s.Init(file, source, nil, 0)
	for {
		_, tok, literal := s.Scan()
		if tok == token.EOF {
			return n
		}
		if tok != token.SEMICOLON || literal == ";" {
			n++
		}
	}
}

var pythonToken = regexp.MustCompile(`"[^"]*"|\w+(\.\d+)?|\*\*|[<>=!]=|[^\s\w]`)

func pythonTokens(source string) int { return len(pythonToken.FindAllString(source, -1)) }

// The cells of 23 everyday tasks have at most 560 tokens, and none more than twice scikit-learn's, but for a few that
// are one call there, and short in both.
func TestTokensBesideScikitLearn(t *testing.T) {
	sum, there, tasks := 0, 0, 0
	for _, task := range scikitTasks(t) {
		t.Logf("%-60s %4d %4d", task.name, task.tokens, task.there)
		tasks += task.tasks
		sum += task.tasks * task.tokens
		there += task.there
		if task.tokens > 2*task.there && task.tokens > 15 {
			t.Errorf("%s: %d tokens, and %d in scikit-learn", task.name, task.tokens, task.there)
		}
	}
	if tasks != 23 || sum > 560 {
		t.Errorf("%d tasks of %d tokens; want 23 of at most 560 (scikit-learn: %d)", tasks, sum, there)
	}
}
