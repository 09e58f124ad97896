package ipynb

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
)

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "n.ipynb")
	must.Do(os.WriteFile(path, []byte(`{"nbformat": 4, "cells": [
		{"cell_type": "markdown", "source": "# Title"},
		{"cell_type": "code", "source": ["f()\n", "g()"], "outputs": [
			{"output_type": "stream", "name": "stdout", "text": ["a\n", "b"]},
			{"output_type": "display_data", "data": {"text/plain": "x"}}]}]}`), 0o644))
	got := must.Value(Read(path))
	want := []Cell{{Type: "markdown", Source: "# Title"}, {Type: "code", Source: "f()\ng()",
		Outputs: []Output{{Name: "stdout", Text: "a\nb"}, {Data: map[string]any{"text/plain": "x"}}}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	must.Do(os.WriteFile(path, []byte(`{"cells": [{"source": 1}]}`), 0o644))
	if _, err := Read(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v, want one that names the file", err)
	}
}
