package datasets

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/obliqua-ml/obliqua/internal/naming"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// ReadPartition reads the folds of a data set of n rows from a file in the format
// of the SPORF authors: one line per fold, with its test rows, counted from 1 and
// separated by commas. Every row must be in exactly one line. The file may be
// gzipped.
func ReadPartition(ctx context.Context, path string, n int) ([]Fold, error) {
	lists, err := readRowLists(ctx, path, n, ",", 1)
	if err != nil {
		return nil, err
	}
	folds, err := partition(n, lists, 1)
	if err != nil {
		return nil, fileError(path, err)
	}
	return folds, nil
}

// ReadKFold reads the folds of a data set of n rows from a file in the format of
// Fernández-Delgado and others (JMLR 15, 2014): two lines per fold, the training
// rows and the test rows, counted from 0 and separated by blanks. Every row must
// be in exactly one of the two lines of a fold; it may be a test row of several
// folds. The file may be gzipped.
func ReadKFold(ctx context.Context, path string, n int) ([]Fold, error) {
	lists, err := readRowLists(ctx, path, n, " \t", 0)
	if err != nil {
		return nil, err
	}
	if len(lists)%2 != 0 {
		return nil, fmt.Errorf("datasets: %s: %d lines of rows; want two per fold", path, len(lists))
	}
	var folds []Fold
	for pair := range slices.Chunk(lists, 2) {
		if _, err := assignRows(n, pair, 0); err != nil {
			return nil, fmt.Errorf("datasets: %s: fold %d: %w", path, len(folds)+1, err)
		}
		slices.Sort(pair[0])
		slices.Sort(pair[1])
		folds = append(folds, Fold{Train: pair[0], Test: pair[1]})
	}
	return folds, nil
}

// readRowLists reads a list of row numbers from each line that is not blank. In
// the file they count from base; it returns them counted from 0.
func readRowLists(ctx context.Context, path string, n int, separators string, base int) ([][]int32, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("datasets: %w", err)
	}
	defer f.Close()
	in, err := newTextReader(ctx, f, Limits{}, blockLength, wholeLines)
	if err != nil {
		return nil, fileError(path, err)
	}
	lines := bufio.NewScanner(parallel.Reader(ctx, in.text))
	longest := max(int(in.limits.Record), 32*min(n, 1<<31))
	lines.Buffer(nil, longest)
	var lists [][]int32
	number := 0
	for lines.Scan() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		number++
		list, err := rowList(strings.TrimSpace(lines.Text()), n, separators, base)
		if err != nil {
			return nil, fileError(path, &lineError{number, err})
		}
		if list != nil {
			lists = append(lists, list)
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fileError(path, errorAt(number+1, "a line of more than %d bytes", longest))
	} else if err != nil {
		return nil, fileError(path, err)
	}
	if lists == nil {
		return nil, fmt.Errorf("datasets: %s: the file is empty", path)
	}
	return lists, nil
}

func rowList(line string, n int, separators string, base int) ([]int32, error) {
	var list []int32
	for field := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
		row, err := strconv.ParseInt(strings.TrimSpace(field), 10, 32)
		if err != nil || int(row) < base {
			return nil, fmt.Errorf("%s; want the number of a row, %d or more", naming.Clip(field), base)
		}
		if len(list) == n {
			return nil, fmt.Errorf("more numbers than the %d rows", n)
		}
		list = append(list, int32(row)-int32(base))
	}
	return list, nil
}
