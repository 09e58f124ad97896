package rules_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The code of "Adding a method" is equal to code that is compiled and run.
func TestDocumentedMethodIsTheOneThatRuns(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(root, "forest", "grow", "method_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "## Adding a method")
	_, rest, hasCode := strings.Cut(rest, "```go\n")
	code, _, ends := strings.Cut(rest, "\n```")
	if !found || !hasCode || !ends {
		t.Fatal("docs/architecture.md has no code below \"Adding a method\"")
	}
	if !strings.Contains(string(source), code) {
		t.Error("the method in docs/architecture.md isn't that of forest/grow/method_test.go; copy it anew")
	}
	notebook, err := os.ReadFile(filepath.Join(root, "notebooks", "your-method.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	var cells struct{ Cells []struct{ Source any } }
	if err := json.Unmarshal(notebook, &cells); err != nil {
		t.Fatal(err)
	}
	cell, _ := cells.Cells[2].Source.(string)
	if lines, ok := cells.Cells[2].Source.([]any); ok {
		for _, line := range lines {
			cell += line.(string)
		}
	}
	if !strings.Contains(cell, code) {
		t.Error("the method in notebooks/your-method.ipynb isn't that of docs/architecture.md; copy it anew")
	}
}
