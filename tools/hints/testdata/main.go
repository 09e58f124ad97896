// Failing fails in the way that its argument names.
package main

import (
	"os"
	"runtime/debug"
)

type node struct{ next *node }

func depth(n int) int { return depth(n+1) + 1 }

func main() {
	debug.SetMaxStack(1 << 20)
	three, zero := make([]int, 3), 0
	var none []int
	var m map[string]int
	var n *node
	switch os.Args[1] {
	case "deadlock":
		<-make(chan int)
	case "forever":
		depth(0)
	case "empty":
		none[zero] = 1
	case "index":
		three[zero+3] = 1
	case "slice":
		_ = three[:zero+7]
	case "map":
		m["a"] = 1
	case "nil":
		n.next = n
	case "divide":
		_ = 1 / zero
	case "fine":
		println("undefined: x")
	}
}
