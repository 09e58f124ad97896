package datasets

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// drawGroups draws the groups of n rows, with numbers that may be sparse.
func drawGroups(t *rapid.T, n int) []int32 {
	groups := rapid.SliceOfN(rapid.Int32Range(0, rapid.Int32Range(0, 12).Draw(t, "groups")), n, n).Draw(t, "group")
	factor := rapid.SampledFrom([]int32{1, 7, 100_000_000}).Draw(t, "factor")
	for i := range groups {
		groups[i] *= factor
	}
	return groups
}

// different returns how many different numbers there are.
func different(groups []int32) int { return len(slices.Compact(slices.Sorted(slices.Values(groups)))) }

// common returns a group that has rows in both lists, or −1.
func common(d *Dataset, a, b []int32) int32 {
	for _, i := range a {
		for _, j := range b {
			if d.Groups[i] == d.Groups[j] {
				return d.Groups[i]
			}
		}
	}
	return -1
}

func grouped(t *rapid.T, least int) *Dataset {
	labels := rapid.SliceOfN(rapid.Int32Range(0, 3), least, 60).Draw(t, "labels")
	d := labelled(labels, 4)
	d.Groups = drawGroups(t, len(labels))
	return d
}

func TestKFoldKeepsGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := grouped(t, 2)
		size := map[int32]int{} // by group
		for _, g := range d.Groups {
			size[g]++
		}
		groups := len(size)
		k := KFold{K: rapid.IntRange(2, max(2, groups)).Draw(t, "k"), Stratified: rapid.Bool().Draw(t, "stratified"),
			Seed: rapid.Uint64().Draw(t, "seed")}
		if groups < 2 {
			if _, err := k.Folds(d); err == nil || !strings.Contains(err.Error(), "2 folds of data set with 1 groups") {
				t.Fatalf("one group: error %v", err)
			}
			return
		}
		folds, sizes := checkKFold(t, k, d), []int{}
		for _, f := range folds {
			if g := common(d, f.Train, f.Test); g >= 0 {
				t.Fatalf("group %d is on both sides of %v", g, f)
			}
			sizes = append(sizes, len(f.Test))
		}
		// A group goes to the smallest fold, which is then larger than any other by at most that group.
		largest := slices.Max(slices.Collect(maps.Values(size)))
		if !k.Stratified && slices.Max(sizes)-slices.Min(sizes) > largest {
			t.Fatalf("sizes %v, but the largest group has %d rows", sizes, largest)
		}
		renamed := *d // what the groups are called doesn't matter
		renamed.Groups = slices.Clone(d.Groups)
		for i := range renamed.Groups {
			renamed.Groups[i] = 1<<31 - 1 - d.Groups[i]
		}
		if again, _ := k.Folds(&renamed); !reflect.DeepEqual(folds, again) {
			t.Fatal("other names of the groups gave other folds")
		}
	})
}

// Of groups of one class each, as many as rows of one size, every fold gets the same number of each class; and so it
// does of mixed groups that are all alike. Groups of one row are stratified as rows are.
func TestStratifiedGroups(t *testing.T) {
	for seed := range uint64(20) {
		pure, mixed, single := labelled(nil, 2), labelled(nil, 2), labelled(nil, 2)
		for g := range int32(10) {
			pure.Labels = append(pure.Labels, g%2, g%2, g%2)
			mixed.Labels = append(mixed.Labels, 0, 1, 0)
			single.Labels = append(single.Labels, g%2, 0, 1)
			pure.Groups, mixed.Groups = append(pure.Groups, g, g, g), append(mixed.Groups, g, g, g)
			single.Groups = append(single.Groups, 3*g, 3*g+1, 3*g+2)
		}
		for name, d := range map[string]*Dataset{"pure": pure, "mixed": mixed, "single": single} {
			d.Columns = [][]float32{make([]float32, 30)}
			folds := must.Value(KFold{K: 5, Stratified: true, Seed: seed}.Folds(d))
			want := map[string][]int{"pure": {3, 3}, "mixed": {4, 2}, "single": {3, 3}}[name]
			for _, f := range folds {
				if got := d.Subset(f.Test).ClassCounts(); !slices.Equal(got, want) {
					t.Errorf("seed %d, %s: %v rows of the classes; want %v", seed, name, got, want)
				}
			}
		}
	}
}

// Folds that are drawn again differ even where all groups differ in size.
func TestGroupsAreDealtAtRandom(t *testing.T) {
	d := labelled(nil, 1)
	for g := range int32(12) {
		for range g + 4 {
			d.Labels, d.Groups = append(d.Labels, 0), append(d.Groups, g)
		}
	}
	d.Columns[0] = make([]float32, len(d.Labels))
	a, errA := KFold{K: 3}.Folds(d)
	b, errB := KFold{K: 3, Seed: 1}.Folds(d)
	if errA != nil || errB != nil || reflect.DeepEqual(a, b) {
		t.Errorf("two seeds gave %v, %v; errors %v, %v", a, b, errA, errB)
	}
}

func TestHoldoutKeepsGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := grouped(t, 2)
		for i := range d.Columns[0] {
			d.Columns[0][i] = float32(i)
		}
		h := Holdout{Test: rapid.Float64Range(0.05, 0.95).Draw(t, "share"), Stratified: rapid.Bool().Draw(t, "stratified"),
			Seed: rapid.Uint64().Draw(t, "seed")}
		train, test, err := h.Split(d)
		if err != nil {
			if !strings.Contains(err.Error(), "want one that leaves groups in both parts") {
				t.Fatal(err)
			}
			return
		}
		checkFold(t, Fold{train.Rows, test.Rows}, d.N())
		if g := common(d, train.Rows, test.Rows); g >= 0 {
			t.Fatalf("group %d is on both sides", g)
		}
		for i := range test.N() {
			if r := int(test.At(i, 0)); test.Groups[i] != d.Groups[r] || test.Labels[i] != d.Labels[r] {
				t.Fatalf("row %d has group %d and label %d of another", i, test.Groups[i], test.Labels[i])
			}
		}
	})
	d := labelled(make([]int32, 1000), 1) // of 100 groups of ten rows a quarter are 25
	for i := range d.Labels {
		d.Groups = append(d.Groups, int32(i%100))
	}
	if _, test, err := (Holdout{}).Split(d); err != nil || test.N() != 250 {
		t.Errorf("%d rows to test on, error %v; want 250", test.N(), err)
	}
	for _, share := range []float64{-1, 1, 1e-9} {
		_, _, err := (Holdout{Test: share}).Split(d)
		readtest.WantError(t, err, "with 100 groups; want one that leaves groups in both parts")
	}
	d.Labels = nil
	_, _, err := Holdout{Stratified: true}.Split(d)
	readtest.WantError(t, err, "no classes to stratify by")
}

// TimeSeriesSplit of scikit-learn 1.9.1 gives these.
func TestRolling(t *testing.T) {
	for _, c := range []struct {
		n    int
		r    Rolling
		want string // rows to train on and to test on
	}{
		{11, Rolling{K: 3, Gap: 1}, "[{[0 1 2 3] [5 6]} {[0 1 2 3 4 5] [7 8]} {[0 1 2 3 4 5 6 7] [9 10]}]"},
		{6, Rolling{}, "[{[0] [1]} {[0 1] [2]} {[0 1 2] [3]} {[0 1 2 3] [4]} {[0 1 2 3 4] [5]}]"},
		{13, Rolling{K: 5, Gap: 2}, "[{[0] [3 4]} {[0 1 2] [5 6]} {[0 1 2 3 4] [7 8]} {[0 1 2 3 4 5 6] [9 10]} " +
			"{[0 1 2 3 4 5 6 7 8] [11 12]}]"},
	} {
		if folds := must.Value(c.r.Folds(labelled(make([]int32, c.n), 1))); fmt.Sprint(folds) != c.want {
			t.Errorf("%+v: folds %v; want %s", c.r, folds, c.want)
		}
	}
	d := labelled(make([]int32, 4), 1)
	d.Groups = []int32{5, 0, 5, 9} // the first row's group is tested in the second fold
	folds, err := Rolling{K: 2}.Folds(d)
	if fmt.Sprint(folds, err) != "[{[1] [2]} {[0 1 2] [3]}] <nil>" {
		t.Errorf("with groups: %v, error %v", folds, err)
	}
	for want, r := range map[string]Rolling{
		"-1 rolling folds":                    {K: -1},
		"4 rolling folds with a gap of 0":     {K: 4},
		"a gap of -1 rows":                    {K: 1, Gap: -1},
		"rolling fold 1 of data set has no t": {K: 3},
		"a gap of 3 rows, and groups of the":  {K: 2, Gap: 3},
		"a gap of 1099511627776 rows":         {K: 1, Gap: 1 << 40},
	} {
		d := *d
		d.Groups = []int32{1, 1, 2, 3}
		_, err := r.Folds(&d)
		readtest.WantError(t, err, want)
	}
}

func TestGroupsOfSubsets(t *testing.T) {
	d := labelled([]int32{0, 1, 0}, 2)
	d.Groups = []int32{4, 0, 4}
	s := d.Subset([]int32{2, 1, 2}).WeightClasses(1, 2).Select(0).Subset([]int32{0, 1})
	if !slices.Equal(s.Groups, []int32{4, 0}) || s.Check() != nil {
		t.Errorf("groups %v, error %v", s.Groups, s.Check())
	}
	for want, groups := range map[string][]int32{"has groups of 2 rows, but 3 rows": {0, 0}, "has groups of 0 rows": {},
		"row 1 has group -1; want a number of 0 or more": {0, -1, 0}} {
		d.Groups = groups
		_, folds := KFold{K: 2}.Folds(d)
		_, rolling := Rolling{K: 1}.Folds(d)
		for _, err := range []error{d.Check(), folds, rolling} {
			readtest.WantError(t, err, want)
		}
	}
}

const patients = "size,patient,grade,y\n1,b7,3,p\n2,a1,4,q\n3,b7,3,p\n4,007,5,q\n"

// Numbers that are the same float32 are different groups, if the file says that they are groups.
func TestCSVGroup(t *testing.T) {
	want := readString(t, strings.ReplaceAll(patients, "patient", "x"), CSV{Drop: []string{"#2"}})
	got := readString(t, strings.NewReplacer("a1", "16777216", "b7", "16777217").Replace(patients), CSV{Group: "patient"})
	equalData(t, got, want)
	if !slices.Equal(got.Groups, []int32{0, 1, 0, 2}) {
		t.Errorf("groups %v", got.Groups)
	}
	like := readString(t, "y,grade,patient,size\np,3,z,1\nq,4,z,2\n", CSV{Like: got.Schema(), Group: "patient"})
	if !slices.Equal(like.Groups, []int32{0, 0}) || !slices.Equal(like.FeatureNames(), []string{"size", "grade"}) {
		t.Errorf("as the schema says: %+v", like)
	}
	if plain := readString(t, "grade,size,y\n3,1,p\n", CSV{Like: got.Schema()}); plain.Groups != nil {
		t.Errorf("groups %v without a column of groups", plain.Groups)
	}
	for _, c := range []struct {
		text string
		o    CSV
		want string
	}{
		{patients, CSV{Group: "pacient"}, `groups: no column "pacient"; the nearest are "patient"`},
		{patients, CSV{Group: "y"}, `column "y" has the groups and cannot also be the target, dropped or a feature`},
		{patients, CSV{Group: "patient", Drop: []string{"patient"}}, `column "patient" has the groups and cannot`},
		{patients, CSV{Group: "size", Like: got.Schema()}, `column "size" has the groups and cannot also be`},
		{"patient,y\na,p\n", CSV{Group: "patient"}, "no column is left as a feature, of 2"},
		{"size,patient,y\n1,a,p\n2,?,q\n", CSV{Group: "patient"}, `row 1 of column "patient", which has the groups, is NaN`},
	} {
		_, err := c.o.Read(t.Context(), strings.NewReader(c.text), "f")
		readtest.WantError(t, err, c.want)
	}
}
