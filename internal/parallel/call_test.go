package parallel

import (
	"context"
	"testing"
)

func TestCallIsCancelledWithItsContext(t *testing.T) {
	if Cancelled(nil) {
		t.Error("no call is cancelled")
	}
	ctx, cancel := context.WithCancel(t.Context())
	call := Until(ctx)
	if Cancelled(call) {
		t.Error("cancelled before its context")
	}
	cancel()
	if !Cancelled(call) {
		t.Error("not cancelled with its context")
	}
}
