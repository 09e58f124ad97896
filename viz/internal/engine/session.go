package engine

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
)

// A Session answers the requests of one panel of the page, one after another. It keeps the
// model that it trained last.
type Session struct {
	model *Model
}

// Answer answers a request, which is JSON with its kind in "do", such as
//
//	{"do": "train", "method": "sporf.Learner", "fields": {"Trees": 50}, "features": ["x1", "x2"], "classes": ["1", "2"]}
//
// Large numbers come and go as arrays, little-endian: the points of a request as a float32
// array for each column and an int32 array of labels. Answer returns JSON and arrays, as
// the kind of request defines them. Training stops soon after ctx is cancelled.
func (s *Session) Answer(ctx context.Context, body []byte, arrays [][]byte) (
	answer []byte, results [][]byte, err error) {
	defer func() { // so that the page can show what went wrong and go on
		if p := recover(); p != nil {
			err = fmt.Errorf("playground: %v", p)
		}
	}()
	value, results, err := s.do(ctx, body, arrays)
	if err != nil {
		return nil, nil, err
	}
	answer, err = json.Marshal(value)
	return answer, results, err
}

// A request has the fields of all kinds of request but "sample", whose request is a [Sample].
type request struct {
	Do string
	P  int // "menu": number of features
	Training
	Plane // "train": only the view
	Tree  int
}

func (s *Session) do(ctx context.Context, body []byte, arrays [][]byte) (answer any, results [][]byte, err error) {
	var r request
	if err := decode(body, &r); err != nil {
		return nil, nil, err
	}
	switch r.Do {
	case "menu":
		return map[string]any{"methods": Methods(r.P), "problems": Problems()}, nil, nil
	case "sample":
		var sample Sample
		if err := decode(body, &sample); err != nil {
			return nil, nil, err
		}
		return sample.answer()
	case "train":
		answer, err = s.train(ctx, r, arrays)
		return answer, nil, err
	case "folds", "regions", "growth", "sensitivity", "model":
		if s.model == nil {
			return nil, nil, fmt.Errorf("playground: %s of no model", r.Do)
		}
		return s.look(ctx, r)
	}
	return nil, nil, fmt.Errorf("playground: can't do %q", r.Do)
}

func decode(body []byte, to any) error {
	if err := json.Unmarshal(body, to); err != nil {
		return fmt.Errorf("playground: %w", err)
	}
	return nil
}

// A described is the answer to "sample". The arrays are the columns and the labels.
type described struct {
	Points            // without columns and labels
	View   [4]float64 `json:"view"`
	Bayes  float64    `json:"bayes"` // least error possible; negative if it isn't known
}

func (s Sample) answer() (any, [][]byte, error) {
	d, _, bayes, err := s.Draw()
	if err != nil {
		return nil, nil, err
	}
	if math.IsNaN(bayes) {
		bayes = unknown
	}
	var arrays [][]byte
	for j := range d.P() {
		arrays = append(arrays, encode(d.Column(nil, j)))
	}
	about := Points{Target: d.Target, Features: d.FeatureNames(), Classes: d.Classes}
	return described{about, View(d), bayes}, append(arrays, encode(d.Labels)), nil
}

func encode(numbers any) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, numbers)
	if err != nil {
		panic("playground: " + err.Error())
	}
	return b
}

// decodeArray returns the numbers of four bytes each that an array holds.
func decodeArray[T any](b []byte) []T {
	numbers := make([]T, len(b)/4)
	_, _ = binary.Decode(b, binary.LittleEndian, numbers) // it only fails if there are too few bytes
	return numbers
}

// train trains the model. If the request has no columns, its points are in arrays.
func (s *Session) train(ctx context.Context, r request, arrays [][]byte) (any, error) {
	s.model = nil
	if r.Columns == nil {
		if len(arrays) != len(r.Features)+1 {
			return nil, fmt.Errorf("playground: %d arrays for %d features and the labels", len(arrays), len(r.Features))
		}
		for _, b := range arrays[:len(r.Features)] {
			r.Columns = append(r.Columns, decodeArray[float32](b))
		}
		r.Labels = decodeArray[int32](arrays[len(r.Features)])
	}
	m, result, err := r.Training.Train(ctx)
	if err != nil {
		return nil, err
	}
	s.model = m
	result.Rose, result.Curved = m.Rose(r.View)
	return result, nil
}

// look answers requests about the model.
func (s *Session) look(ctx context.Context, r request) (any, [][]byte, error) {
	switch r.Do {
	case "folds":
		e, err := s.model.FoldError(ctx)
		return e, nil, err
	case "regions":
		class, margin, err := s.model.Regions(ctx, r.Plane)
		return nil, [][]byte{class, margin}, err
	case "growth":
		g, err := s.model.Growth(ctx, r.Tree, r.Plane)
		if err != nil {
			return nil, nil, err
		}
		return nil, [][]byte{encode(g.Parent), encode(g.SplitAt), g.Class, g.Share, encode(g.Lines), encode(g.Leaves)}, nil
	case "sensitivity":
		scores, err := s.model.Sensitivity(ctx)
		return nil, [][]byte{encode(scores)}, err
	default: // "model"
		b, err := s.model.Forest.MarshalBinary()
		return nil, [][]byte{b}, err
	}
}
