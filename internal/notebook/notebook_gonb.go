//go:build !js

package notebook

import (
	"encoding/gob"
	"os"
	"syscall"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/comms"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

func init() { gob.Register(map[string]any{}) } // for metadata on their way to the kernel

// Present reports whether the program is a cell of a notebook.
func Present() bool { return gonbui.IsNotebook }

// Open reports whether a page shows the notebook, so that somebody can move a control.
func Open() bool {
	// Jupyter's server names the session of a page. Without one there is no page, and
	// GoNB's script, which connects it, would end up in the saved notebook.
	return gonbui.IsNotebook && os.Getenv("JPY_SESSION_NAME") != ""
}

// UniqueID returns a new name for outputs.
func UniqueID() string { return gonbui.UniqueId() }

// Send shows an output.
func Send(o Output) {
	data := map[protocol.MIMEType]any{}
	for media, content := range o.Data {
		data[protocol.MIMEType(media)] = content
	}
	gonbui.SendData(&protocol.DisplayData{DisplayID: o.ID, Data: data, Metadata: o.Metadata})
}

// Flush waits until the kernel has received all outputs; the rest is lost when the cell's
// process ends. It returns an error if the kernel can't be reached.
func Flush() error {
	gonbui.Sync()
	return gonbui.Error()
}

// Listen calls heard with what scripts of the page send to the address. [Connect] must be
// called again if they don't answer.
func Listen(address string, heard func(message string)) {
	comms.Subscribe(address, func(_, message string) { heard(message) })
}

// Connect asks the page to connect. One that is busy doesn't manage in the half second that
// GoNB's script waits for the kernel.
func Connect() { comms.Start() }

// DieWithKernel ends the process with status 1 when the kernel has ended, which it can't
// tell us: see orphaned. Call stop when nobody needs to stop the process any more.
func DieWithKernel() (stop func()) {
	stopped := make(chan struct{})
	parent, pipe := os.Getppid(), os.Getenv(protocol.GONB_PIPE_ENV)
	go func() {
		tick := time.Tick(time.Second)
		for {
			select {
			case <-stopped:
				return
			case <-tick:
				if orphaned(parent, pipe) {
					os.Exit(1)
				}
			}
		}
	}()
	return func() { close(stopped) }
}

// orphaned reports whether the process that started this one has ended and nobody has the
// kernel's pipe open any more. The first alone says little: that process may be a shell which a
// cell has started, while the kernel goes on.
func orphaned(parent int, pipe string) bool {
	if os.Getppid() == parent {
		return false
	}
	// Without O_NONBLOCK this would wait for a reader; with it, it is an error that there is none.
	f, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return true
	}
	f.Close()
	return false
}
