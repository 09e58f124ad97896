package figures

import (
	"encoding/csv"
	"os"
	"strconv"
	"testing"
)

// Published returns the numbers of the paper's table.
func TestPublished(t *testing.T) {
	f, err := os.Open("../../testdata/sporf_table1_kappa_5fold.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for j, name := range rows[0] {
		column[name] = j
	}
	number := func(row []string, name string) float64 {
		v, err := strconv.ParseFloat(row[column[name]], 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	published := Published()
	for _, row := range rows[1:] {
		for _, method := range []string{"RF", "SPORF"} {
			key := [2]string{row[column["dataset"]], method}
			got, ok := published[key]
			if !ok {
				continue
			}
			delete(published, key)
			if want := [2]float64{number(row, method+"_kappa_pct"), number(row, method+"_sem")}; got != want {
				t.Errorf("%v: κ and standard error %v; the paper has %v", key, got, want)
			}
		}
	}
	for key := range published {
		t.Errorf("%v isn't in the paper's table", key)
	}
}
