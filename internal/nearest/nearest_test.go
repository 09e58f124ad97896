package nearest

import "testing"

func TestTypo(t *testing.T) {
	names := []string{"forest", "fmt", "viz", "auto"}
	for s, want := range map[string]string{"forrest": "forest", "Forest": "forest", "visz": "viz", "http": "", "x": ""} {
		if got := Typo(names, s); got != want {
			t.Errorf("%s: got %q, want %q", s, got, want)
		}
	}
}
