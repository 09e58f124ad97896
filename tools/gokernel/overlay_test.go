package main

import (
	"go/format"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

func TestLeaveOut(t *testing.T) {
	const source = `package main

import (
	"cmd/arm64"
	"cmd/wasm"
	"fmt"
)

var inits = map[string]func(){"arm64": arm64.Init, "wasm": wasm.Init}

func f(arch string) {
	switch arch {
	case "386", "amd64":
		fallthrough
	case "mips":
		fmt.Println(1)
	case "wasm":
		fmt.Println(2)
	default:
		fmt.Println(3)
	}
	switch arch {
	case "arm":
		fmt.Println(4)
	}
}
`
	want := strings.NewReplacer(
		"\t\"cmd/arm64\"\n", "",
		`"arm64": arm64.Init, `, "",
		"\tcase \"386\", \"amd64\":\n\t\tfallthrough\n\tcase \"mips\":\n\t\tfmt.Println(1)\n", "",
	).Replace(source)
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	leaveOut(file)
	var b strings.Builder
	if err := format.Node(&b, files, file); err != nil {
		t.Fatal(err)
	}
	compact := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	if got := compact(b.String()); got != compact(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
