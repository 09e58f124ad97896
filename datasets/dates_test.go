package datasets

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// Days since 1970, as Python 3.11's datetime counts them.
func TestDates(t *testing.T) {
	for _, test := range []struct {
		texts  string // separated by bars
		want   string
		layout string
	}{
		{"2024-01-02|1969-12-31|2000-02-29", "19724 -1 11016", "2006-01-02"},
		{"2.1.2024|31.12.1969|29.02.2000|n/a", "19724 -1 11016 NaN", "2.1.2006"},
		{"01/31/2024|02/01/2024|12/31/1969", "19753 19754 -1", "1/2/2006"},
		{"31/01/2024|01/02/2024|31/12/1969", "19753 19754 -1", "2/1/2006"},
		{"Jan 2, 2024|Feb 29, 2000|Dec 31, 1969", "19724 11016 -1", "Jan 2, 2006"},
		{"2024-01-02 12:00:00|2024-01-02 18:00:00|2024-01-03 00:00:00",
			"19724.5 19724.75 19725", "2006-01-02 15:04:05"},
		{"2024-01-02T12:00:00Z|2024-01-02T18:00:00+06:00|2024-01-03T00:00:00Z",
			"19724.5 19724.5 19725", "2006-01-02T15:04:05Z07:00"},
		{"2024-01-02T12:00:00+0000|2024-01-02T18:00:00+0600|2024-01-03T00:00:00Z",
			"19724.5 19724.5 19725", "2006-01-02T15:04:05Z0700"},
		{"2024-01-02 12:00:00+00|2024-01-02 18:00:00+06|2024-01-03 00:00:00+00", // PostgreSQL
			"19724.5 19724.5 19725", "2006-01-02 15:04:05Z07"},
		{"2024-01-02 12:00:00 UTC|2024-01-02 18:00:00 UTC|2024-01-03 00:00:00 UTC", // BigQuery
			"19724.5 19724.75 19725", "2006-01-02 15:04:05 UTC"},
		{"2024-01-02 12:00:00 +0000|2024-01-02 18:00:00 +0600|2024-01-03 00:00:00 +0000", // git
			"19724.5 19724.5 19725", "2006-01-02 15:04:05 -0700"},
	} {
		d := readString(t, columnOf(test.texts), CSV{Comma: ';'})
		f := d.Features[0]
		layout, ok := f.Scale.Layout()
		if !ok || layout != test.layout || f.Categories != nil {
			t.Errorf("%q: %+v; want the layout %s", test.texts, f, test.layout)
			continue
		}
		for i, want := range strings.Fields(test.want) {
			if got := fmt.Sprint(f.Scale.Value(d.Columns[0][i])); got != want {
				t.Errorf("%q: row %d is %s; want %s", test.texts, i, got, want)
			}
		}
		first, _, _ := strings.Cut(test.texts, "|")
		like := readString(t, columnOf(first), CSV{Comma: ';', Like: d.Schema(), NoTarget: true})
		if like.Columns[0][0] != d.Columns[0][0] || like.Notes != nil {
			t.Errorf("%q: read again it is %v of %v, notes %q", first, like.Columns, d.Columns[0], like.Notes)
		}
		row, err := d.Schema().Record(map[string]any{"x": first})
		if err != nil || row[0] != d.Columns[0][0] {
			t.Errorf("record: %v, error %v", row, err)
		}
	}
	ambiguous := columnOf("01/02/2024|03/04/2024|05/06/2024")
	d := readString(t, ambiguous, CSV{Comma: ';'})
	if d.Features[0].Categories == nil || len(d.Notes) != 1 ||
		!strings.Contains(d.Notes[0], `set Dates to "2/1/2006" or "1/2/2006"`) {
		t.Errorf("%+v, notes %q", d.Features[0], d.Notes)
	}
	for layout, want := range map[string]float32{"2/1/2006": 19754, "1/2/2006": 19724} {
		if d := readString(t, ambiguous, CSV{Comma: ';', Dates: layout}); d.Columns[0][0] != want {
			t.Errorf("%s: %v; want %v", layout, d.Columns[0], want)
		}
	}
	train := readString(t, columnOf("2024-01-02|2024-01-03|2024-02-03"), CSV{Comma: ';'})
	_, err := CSV{Comma: ';', Like: train.Schema()}.Read(t.Context(), strings.NewReader("x;y\n3.1.2024;p\n"), "f")
	readtest.WantError(t, err, `"3.1.2024" is not a date as 2006-01-02`)
}

// Prepare makes the month, the day of the week and the hour of dates columns where they vary, also after saving.
func TestPreparedDates(t *testing.T) {
	var texts []string
	for i := range 60 {
		texts = append(texts, fmt.Sprintf("2024-%02d-%02d %02d:00", 1+i%12, 1+i%28, i%24))
	}
	d := readString(t, columnOf(strings.Join(texts, "|")), CSV{Comma: ';'})
	transform, made, err := Prepare{}.Fit(t.Context(), d)
	must.Do(err)
	if want := []string{"x", "x month", "x weekday", "x hour"}; !slices.Equal(made.FeatureNames(), want) {
		t.Fatalf("columns %q; want %q", made.FeatureNames(), want)
	}
	transform = marshalled(t, transform)
	// Raw parts, without standardisation: those of a day that training didn't have.
	columns := must.Value(NewTransform(d.Features, d.dateColumns(0)))
	next := readString(t, columnOf("2026-11-26 21:30"), CSV{Comma: ';', Like: d.Schema(), NoTarget: true})
	parts := must.Value(columns.Apply(t.Context(), next))
	for j, want := range []float32{11, 4, 21} { // a Thursday
		if got := parts.Columns[j][0]; got != want {
			t.Errorf("%s: %v; want %v", parts.Features[j].Name, got, want)
		}
	}
	if _, err := transform.Apply(t.Context(), next); err != nil {
		t.Error(err)
	}
}

// Times are those that are written, to the second, and have their hours, of package time. Days as float32 would be off
// by up to a minute and a half now, so that a third of all whole hours would be the hour before.
func TestTimesOfDay(t *testing.T) {
	const layout = "2006-01-02 15:04:05"
	for _, every := range []time.Duration{time.Hour, 10 * time.Minute, 37 * time.Second, 50 * time.Hour} {
		var text strings.Builder
		text.WriteString("at,y\n")
		var times []time.Time
		for i := range 500 {
			times = append(times, time.Date(2021, 12, 30, 0, 0, 0, 0, time.UTC).Add(time.Duration(i)*every))
			fmt.Fprintf(&text, "%s,%d\n", times[i].Format(layout), i%2)
		}
		train := readString(t, text.String(), CSV{})
		scale := train.Features[0].Scale
		hours := must.Value(NewTransform(train.Features, []Column{{Name: "hour", Ops: []Op{{Do: "hour",
			Numbers: []float64{scale.Offset, cmp.Or(scale.Step, 1)}}}}}))
		for _, d := range []*Dataset{train, readString(t, text.String(), CSV{Like: train.Schema()})} {
			x := must.Value(hours.Apply(t.Context(), d))
			for i, at := range times {
				if d.Text(i, 0) != at.Format(layout) || x.At(i, 0) != float32(at.Hour()) {
					t.Fatalf("every %v: row %d is %s, hour %v; want %s", every, i, d.Text(i, 0), x.At(i, 0), at.Format(layout))
				}
			}
		}
	}
}
