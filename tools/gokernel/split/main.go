// Command split makes programs of cells in the worker, where it runs as WebAssembly. See
// package cells. It works in the folder /session: session.json is the session,
// packages.json the list of packages, notebook.json the sources of the notebook's cells, and
// hints.txt a table of hints.
//
//	split program 3 <cell     write main.go and next.json, the session if it compiles
//	split explain 3 <errors   explain what the compiler has written
//	split trace 3 <text       shorten what a program that failed has written
//
// It prints an answer as JSON.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"

	"github.com/obliqua-ml/obliqua/tools/gokernel/cells"
	"github.com/obliqua-ml/obliqua/tools/hints"
)

// An answer is a program without its source, or an error in the form of Jupyter.
type answer struct {
	Program *cells.Program
	Env     map[string]string
	Error   *failure
	Trace   string
}

type failure struct {
	Name      string   `json:"name"`
	Value     string   `json:"value"`
	Traceback []string `json:"traceback"`
}

func main() {
	a, err := run(os.Args[1:])
	if err != nil {
		a.Error = &failure{"ERROR", err.Error(), []string{err.Error()}}
	}
	if err := json.NewEncoder(os.Stdout).Encode(a); err != nil {
		panic(err)
	}
}

func run(args []string) (a answer, err error) {
	if len(args) != 2 {
		return a, fmt.Errorf("split: want an action and the number of a cell")
	}
	input, err := io.ReadAll(os.Stdin)
	if err != nil {
		return a, err
	}
	id, err := strconv.Atoi(args[1])
	if err != nil {
		return a, err
	}
	var packages []cells.Package
	if err := read("/session/packages.json", &packages); err != nil {
		return a, err
	}
	var notebook []string
	if err := read("/session/notebook.json", &notebook); err != nil {
		return a, err
	}
	text, err := os.ReadFile("/session/hints.txt")
	if err != nil {
		return a, err
	}
	table, err := hints.Read(string(text))
	if err != nil {
		return a, err
	}
	switch args[0] {
	case "program":
		a, err = program(id, string(input), packages)
	case "explain":
		var session cells.Session
		if err := read("/session/next.json", &session); err != nil {
			return a, err
		}
		err = session.Explain(string(input))
	case "trace":
		a.Trace = cells.Trace(string(input), table)
	}
	if list := (*cells.Errors)(nil); errors.As(err, &list) {
		a.Error, err = &failure{"ERROR", list.Error(), list.Traceback(packages, notebook, table)}, nil
	}
	return a, err
}

// program writes the program that a cell becomes, and the session after it.
func program(id int, cell string, packages []cells.Package) (a answer, err error) {
	var session cells.Session
	if err := read("/session/session.json", &session); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return a, err
	}
	a.Program, err = session.Add(id, cell, packages)
	a.Env = session.Env
	if err != nil {
		return a, err
	}
	next, err := json.Marshal(session)
	if err != nil {
		return a, err
	}
	if err := os.WriteFile("/session/next.json", next, 0o666); err != nil {
		return a, err
	}
	err = os.WriteFile("/session/main.go", []byte(a.Program.Source), 0o666)
	a.Program.Source = ""
	return a, err
}

func read(name string, value any) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, value)
}
