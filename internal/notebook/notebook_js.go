package notebook

import (
	"encoding/json"
	"sync"
	"syscall/js"
)

var (
	page = js.Global()
	sent sync.Map // IDs
)

// Present reports whether the program is a cell of a notebook.
func Present() bool { return page.Get("gonbDisplay").Truthy() }

// Open reports whether a page shows the notebook, so that somebody can move a control.
func Open() bool { return Present() }

// UniqueID returns a new name for outputs.
func UniqueID() string { return page.Get("crypto").Call("randomUUID").String() }

// Send shows an output.
func Send(o Output) {
	_, again := sent.LoadOrStore(o.ID, true)
	b, err := json.Marshal(struct {
		Output
		Update bool `json:"update"`
	}{o, again && o.ID != ""})
	if err != nil {
		panic("notebook: " + err.Error())
	}
	page.Call("gonbDisplay", string(b))
}

// Flush does nothing: the page has received all outputs.
func Flush() error { return nil }

// Listen calls heard with what scripts of the page send to the address.
func Listen(address string, heard func(message string)) {
	page.Set("gonbHear", js.FuncOf(func(_ js.Value, args []js.Value) any {
		if args[0].String() == address {
			go heard(args[1].String())
		}
		return nil
	}))
}

// Connect does nothing: the page is connected.
func Connect() {}

// DieWithKernel does nothing: the page ends its cells.
func DieWithKernel() (stop func()) { return func() {} }
