package ipynb

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
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
	_, err := Read(path)
	readtest.WantError(t, err, path)
}
