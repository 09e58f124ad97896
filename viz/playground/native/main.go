// Command native trains what the playground trains, natively. It reads requests to train,
// one JSON object a line, with the points in "columns" and "labels", and prints the SHA-256
// of each model and the seconds that the training took, the least of three.
//
//	go run ./viz/playground/native <requests.jsonl
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"

	"github.com/obliqua-ml/obliqua/viz/internal/engine"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		var t engine.Training
		if err := json.Unmarshal(in.Bytes(), &t); err != nil {
			return err
		}
		least := math.Inf(1)
		var sha string
		for range 3 {
			_, result, err := t.Train(context.Background())
			if err != nil {
				return fmt.Errorf("%s: %w", t.Method, err)
			}
			least, sha = min(least, result.Seconds), result.SHA256
		}
		fmt.Printf("%s %.5f\n", sha, least)
	}
	return in.Err()
}
