//go:build js && wasm

// Command wasm is the playground's engine as WebAssembly, for a Web Worker of the page.
// It defines the function obliqua(request, arrays), which returns [answer, arrays], or
// throws the text of an error. While a training runs it calls the function
// progress(done, total), at most ten times a second.
package main

import (
	"context"
	"syscall/js"
	"time"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/viz/internal/engine"
)

func main() {
	var session engine.Session
	var reported time.Time
	ctx := forest.WithProgress(context.Background(), func(done, total int) {
		if now := time.Now(); now.Sub(reported) > 100*time.Millisecond {
			reported = now
			js.Global().Call("progress", done, total)
		}
	})
	js.Global().Set("obliqua", js.FuncOf(func(_ js.Value, args []js.Value) any {
		arrays := make([][]byte, args[1].Length())
		for i := range arrays {
			from := args[1].Index(i)
			arrays[i] = make([]byte, from.Get("length").Int())
			js.CopyBytesToGo(arrays[i], from)
		}
		reported = time.Now()
		answer, results, err := session.Answer(ctx, []byte(args[0].String()), arrays)
		if err != nil {
			return err.Error()
		}
		copies := make([]any, len(results))
		for i, b := range results {
			to := js.Global().Get("Uint8Array").New(len(b))
			js.CopyBytesToJS(to, b)
			copies[i] = to
		}
		return []any{string(answer), copies}
	}))
	js.Global().Call("ready")
	select {}
}
