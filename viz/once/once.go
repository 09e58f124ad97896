// Package once keeps trained models on disk, so that a notebook trains each model
// only once, although every cell is a new process.
package once

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"iter"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/atomicfile"
	"github.com/obliqua-ml/obliqua/internal/cache"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// Fit returns what learner.Fit(ctx, train) returns, but keeps the model on
// disk and reads it from there the next time, in any process.
//
// Another learner, parameter or seed, another row, label, weight, name or note in the data, another
// [forest.FormatVersion] or another [forest.GrowthRevision] trains another model. A subset is the
// same as a copy of its rows, and the name of the data set doesn't matter. A change in the code of
// your own learner does not train another model: after such a change remove the folder, or set
// OBLIQUA_CACHE to an empty one.
//
// A model that was trained before a deadline of ctx isn't kept, since auto.Learner makes do with less then.
//
// Models are kept in the folder "models" of OBLIQUA_CACHE, by default of "obliqua" in
// the user's cache folder ([os.UserCacheDir]). If they exceed 4 GB, the least recently
// used are removed. The folder may be removed at any time. A file that can't be read is
// replaced.
//
// Nobody else should be able to write to the folder: who can decides what a notebook shows. A
// kept model is only compared with what is known of the one that was asked for: features and
// classes and, for learners of this module, target, number of rows, seed and number of trees.
//
// Fit returns both the model and an error if the model can't be kept, on a full disk for
// instance, and if the kept one was of something else, so that another had to be trained. It
// returns no model, but an error, where [datasets.Dataset.Check] does, and if the learner contains
// a function, a channel or a map, or values nested more than 32 deep.
func Fit(ctx context.Context, learner forest.Learner, train *datasets.Dataset) (*forest.Forest, error) {
	if learner == nil {
		return nil, errors.New("once: no learner to fit")
	}
	key, err := keyOf(forest.GrowthRevision, learner, train)
	if err != nil {
		return nil, err
	}
	root, err := cache.Folder()
	if err != nil {
		return nil, fmt.Errorf("once: %w", err)
	}
	dir := filepath.Join(root, "models")
	path := filepath.Join(dir, key+extension)
	var other error // of a kept model
	if model, err := forest.Load(path); err == nil {
		if other = differs(model, learner, train); other == nil {
			now := time.Now()
			_ = os.Chtimes(path, now, now) // failing only affects which model is removed first
			return model, nil
		}
		other = fmt.Errorf("once: trained again, since the kept model %s is another one: %w", path, other)
	}
	model, err := learner.Fit(ctx, train)
	if err != nil {
		return nil, err
	}
	if _, hurried := ctx.Deadline(); hurried {
		return model, other
	}
	if err = os.MkdirAll(dir, 0o755); err == nil {
		err = model.Save(path)
	}
	if err != nil {
		return model, errors.Join(other, fmt.Errorf("once: keep the model: %w", err))
	}
	return model, errors.Join(other, prune(dir, path, maxBytes))
}

// differs returns an error that says why the learner can't have grown the model from train, or
// nil. What models of learners elsewhere have as rows, seed and trees is not known: these may
// train on a part of the rows, or by seeds of their own.
func differs(model *forest.Forest, learner forest.Learner, train *datasets.Dataset) error {
	schema := model.Schema()
	same := func(a, b datasets.Feature) bool {
		return a.Name == b.Name && (model.Steps == nil || slices.Equal(a.Categories, b.Categories))
	}
	if !slices.EqualFunc(schema.Features, train.Features, same) {
		return errors.New("it has other features")
	}
	if !slices.Equal(model.Classes, train.Classes) {
		return fmt.Errorf("it has the classes %q; want %q", model.Classes, train.Classes)
	}
	for _, next, ok := forest.Unpipe(learner); ok; _, next, ok = forest.Unpipe(learner) {
		learner = next
	}
	l := reflect.ValueOf(learner)
	methods := reflect.TypeFor[forest.Forest]().PkgPath() + "/"
	if l.Kind() != reflect.Struct || !strings.HasPrefix(l.Type().PkgPath(), methods) {
		return nil
	}
	if model.Target != train.Target {
		return fmt.Errorf("its target is %q; want %q", model.Target, train.Target)
	}
	if model.Rows != train.N() {
		return fmt.Errorf("it was trained on %d rows; want %d", model.Rows, train.N())
	}
	if seed := l.FieldByName("Seed"); seed.IsValid() && model.Seed != seed.Uint() {
		return fmt.Errorf("its seed is %d; want %d", model.Seed, seed.Uint())
	}
	if trees := l.FieldByName("Trees"); trees.IsValid() && trees.Int() > 0 && len(model.Trees) != int(trees.Int()) {
		return fmt.Errorf("it has %d trees; want %d", len(model.Trees), trees.Int())
	}
	return nil
}

const (
	extension = ".forest"
	maxBytes  = 4e9 // of all models
)

// prune removes the least recently used models, but never keep, until the rest and the
// temporary files take at most limit bytes.
func prune(dir, keep string, limit int64) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("once: %w", err)
	}
	var files []fs.FileInfo
	var size int64
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			continue // removed by another process
		}
		switch {
		case filepath.Ext(e.Name()) == extension:
			files = append(files, info)
		case !atomicfile.IsTemporary(e.Name()):
			continue // not one of ours
		}
		size += info.Size()
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, f := range files {
		path := filepath.Join(dir, f.Name())
		if size <= limit || path == keep {
			continue
		}
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("once: %w", err)
		}
		size -= f.Size()
	}
	return nil
}

// keyOf returns the name of the model that learner grows from train: a SHA-256 hash in 64
// hexadecimal digits, the same in every process. The names of features, classes and target are
// part of it, since a model stores them.
func keyOf(revision uint64, learner forest.Learner, train *datasets.Dataset) (string, error) {
	if err := train.Check(); err != nil {
		return "", err
	}
	k := keyer{sha256.New()}
	k.number(forest.FormatVersion)
	k.number(revision)
	if err := k.value(reflect.ValueOf(learner), 0); err != nil {
		return "", fmt.Errorf("once: learner %T: %w", learner, err)
	}
	k.dataset(train)
	return hex.EncodeToString(k.Sum(nil)), nil
}

// A keyer hashes values, each written so that different ones give different bytes.
type keyer struct{ hash.Hash }

func (k keyer) number(v uint64) { k.Write(binary.LittleEndian.AppendUint64(nil, v)) }

func (k keyer) text(s string) {
	k.number(uint64(len(s)))
	k.Write([]byte(s))
}

// maxDepth is how deep values may be nested; deeper ones are taken for cycles.
const maxDepth = 32

// value writes the type and contents of v.
func (k keyer) value(v reflect.Value, depth int) error {
	if !v.IsValid() { // a nil interface
		k.text("nil")
		return nil
	}
	if depth > maxDepth {
		return fmt.Errorf("%s is nested more than %d deep", v.Type(), maxDepth)
	}
	k.text(v.Type().PkgPath() + " " + v.Type().String())
	switch v.Kind() {
	case reflect.Bool:
		k.number(map[bool]uint64{false: 0, true: 1}[v.Bool()])
	case reflect.String:
		k.text(v.String())
	case reflect.Interface:
		return k.value(v.Elem(), depth+1)
	case reflect.Pointer:
		if v.IsNil() {
			k.number(0)
			return nil
		}
		return k.value(v.Elem(), depth+1)
	case reflect.Slice, reflect.Array:
		k.number(uint64(v.Len()))
		for i := range v.Len() {
			if err := k.value(v.Index(i), depth+1); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if err := k.value(v.Field(i), depth+1); err != nil {
				return fmt.Errorf("field %s: %w", v.Type().Field(i).Name, err)
			}
		}
	default:
		switch {
		case v.CanInt():
			k.number(uint64(v.Int()))
		case v.CanUint():
			k.number(v.Uint())
		case v.CanFloat():
			k.number(math.Float64bits(v.Float()))
		default:
			return fmt.Errorf("a value of type %s can't be part of a key", v.Type())
		}
	}
	return nil
}

func (k keyer) dataset(d *datasets.Dataset) {
	k.text(d.Target)
	k.number(uint64(d.N()))
	k.number(uint64(d.P()))
	for _, f := range d.Features {
		k.text(f.Name)
		k.texts(f.Categories)
		if f.Scale != (datasets.Scale{}) {
			k.number(math.Float64bits(f.Scale.Offset))
			k.number(math.Float64bits(f.Scale.Step))
			k.text(f.Scale.Unit)
		}
	}
	for _, sum := range columnSums(d) {
		k.Write(sum)
	}
	k.texts(d.Classes)
	k.number(uint64(len(d.Labels)))
	k.Write(digest(d.Labels))
	k.number(uint64(len(d.Values)))
	for _, v := range d.Values {
		k.number(math.Float64bits(v))
	}
	k.number(uint64(len(d.Weights)))
	k.Write(digest(d.Weights))
	if d.Groups != nil {
		k.Write(digest(d.Groups))
	}
	if len(d.Notes) > 0 { // reports of models repeat them
		k.text("notes")
		k.texts(d.Notes)
	}
}

func (k keyer) texts(s []string) {
	k.number(uint64(len(s)))
	for _, t := range s {
		k.text(t)
	}
}

// columnSums returns the hash of each column, over the rows that d has.
func columnSums(d *datasets.Dataset) [][]byte {
	sums := make([][]byte, d.P())
	// Workers returns only the context's error, and this one is never cancelled.
	_ = parallel.Workers(context.Background(), len(sums), len(sums), func(columns iter.Seq[int]) {
		for j := range columns {
			sums[j] = digest(d.Column(nil, j))
		}
	})
	return sums
}

// digest returns the hash of numbers of four bytes each.
func digest[T float32 | int32](values []T) []byte {
	h := sha256.New()
	var block []byte
	for chunk := range slices.Chunk(values, 1<<12) {
		block, _ = binary.Append(block[:0], binary.LittleEndian, chunk) // these types have no error
		h.Write(block)
	}
	return h.Sum(nil)
}
