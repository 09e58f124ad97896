package grow

import (
	"reflect"
	"testing"

	"github.com/obliqua-ml/obliqua/forest"
)

// A kept candidate is a copy: all fields are those of the other, whose slices may be
// overwritten afterwards. The slices of the copy are used again.
func TestKeepCopiesEveryField(t *testing.T) {
	var kept Candidate
	for _, n := range []int{3, 2} {
		draw := func() *Candidate {
			c := &Candidate{Function: forest.Function{Kind: forest.LowRank, Bias: 2, Positive: 1}, Cut: Given, Threshold: 4}
			v := reflect.ValueOf(&c.Function).Elem()
			for i := range v.NumField() {
				if field := v.Field(i); field.Kind() == reflect.Slice {
					field.Set(reflect.MakeSlice(field.Type(), n+i, n+i))
					field.Index(1).Set(reflect.ValueOf(i + 1).Convert(field.Type().Elem()))
				}
			}
			return c
		}
		from, want := draw(), draw()
		kept.keep(from)
		v := reflect.ValueOf(from.Function)
		for i := range v.NumField() {
			if field := v.Field(i); field.Kind() == reflect.Slice {
				field.Index(1).SetZero()
			}
		}
		if !reflect.DeepEqual(&kept, want) {
			t.Errorf("kept %+v, want %+v", kept, want)
		}
	}
	if n := testing.AllocsPerRun(5,
		func() { kept.keep(&Candidate{Function: forest.Function{Weights: kept.Weights[:1]}}) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
