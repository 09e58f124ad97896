package cluster

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

// A Learner is a learner as workers are told of it: its type, its parameters as JSON, and
// the steps before it.
type Learner struct {
	Steps []sentValue `json:",omitempty"`
	sentValue
}

// A sentValue is the type and the parameters of a learner or of a step.
type sentValue struct {
	Type       string
	Parameters json.RawMessage
}

// learners are the types that workers know, by their full name; Main adds to them.
var (
	mu       sync.Mutex
	learners = map[string]reflect.Type{}
)

// steps are the types of the steps of package datasets, by name.
var steps = byName(datasets.Impute{}, datasets.OneHot{}, datasets.Ordinal{}, datasets.Standardise{},
	datasets.TargetEncoding{}, datasets.Prepare{})

func byName(values ...any) map[string]reflect.Type {
	types := map[string]reflect.Type{}
	for _, v := range values {
		t := reflect.TypeOf(v)
		types[typeName(t)] = t
	}
	return types
}

// typeName returns a type's name with the path of its package: two packages may have the same name.
func typeName(t reflect.Type) string {
	switch {
	case t == nil:
		return "nil"
	case t.Name() == "" && t.Kind() == reflect.Pointer:
		return "*" + typeName(t.Elem())
	case t.PkgPath() == "":
		return t.String()
	}
	return t.PkgPath() + "." + t.Name()
}

// EncodeLearner returns an error if the workers don't know the learner's type (see [Main]), or
// if its parameters can't be sent.
func EncodeLearner(l forest.Learner) (sent Learner, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("cluster: %w", err)
		}
	}()
	for {
		step, next, ok := forest.Unpipe(l)
		if !ok {
			break
		}
		v, err := encodeValue(step, steps, "step")
		if err != nil {
			return sent, err
		}
		sent.Steps, l = append(sent.Steps, v), next
	}
	mu.Lock()
	defer mu.Unlock()
	if sent.sentValue, err = encodeValue(l, learners, "learner"); err != nil {
		return sent, err
	}
	decoded, err := decodeValue(sent.sentValue, learners, "learner")
	if err == nil && !reflect.DeepEqual(decoded, l) {
		err = fmt.Errorf("learner %s has parameters that can't be sent to workers", sent.Type)
	}
	return sent, err
}

func encodeValue(v any, known map[string]reflect.Type, kind string) (sentValue, error) {
	name := typeName(reflect.TypeOf(v))
	if known[name] == nil {
		return sentValue{}, fmt.Errorf("workers don't know the %s %s; they know %s", kind, name,
			strings.Join(slices.Sorted(maps.Keys(known)), ", "))
	}
	b, err := json.Marshal(v)
	return sentValue{name, b}, err
}

// decodeValue is the inverse of encodeValue.
func decodeValue(v sentValue, known map[string]reflect.Type, kind string) (any, error) {
	t := known[v.Type]
	if t == nil {
		return nil, fmt.Errorf("this worker doesn't know the %s %s; it knows %s", kind, v.Type,
			strings.Join(slices.Sorted(maps.Keys(known)), ", "))
	}
	p := reflect.New(t)
	if err := decodeJSON(v.Parameters, p.Interface()); err != nil {
		return nil, fmt.Errorf("%s %s: %w", kind, v.Type, err)
	}
	return p.Elem().Interface(), nil
}

// Value returns the learner. It returns an error if this worker doesn't know its type or its
// parameters.
func (sent Learner) Value() (forest.Learner, error) {
	mu.Lock()
	defer mu.Unlock()
	v, err := decodeValue(sent.sentValue, learners, "learner")
	if err != nil {
		return nil, err
	}
	before := make([]datasets.Step, len(sent.Steps))
	for i, s := range sent.Steps {
		step, err := decodeValue(s, steps, "step")
		if err != nil {
			return nil, err
		}
		before[i] = step.(datasets.Step)
	}
	return forest.Pipeline(v.(forest.Learner), before...), nil
}
