package spark

import (
	"errors"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// explain returns the error of a request in the server's words, and with what helps.
func (e *Engine) explain(err error) error {
	s, ok := status.FromError(err)
	if !ok {
		return err
	}
	text := strings.TrimSpace(s.Message())
	words, died := strings.CutPrefix(text, "[USER_RAISED_EXCEPTION] ")
	switch {
	case s.Code() == codes.Unavailable:
		text = "no connection to " + e.remote.target + ": " + text
	case s.Code() == codes.Unauthenticated || s.Code() == codes.PermissionDenied:
		text = "the server refuses: " + text + " (is the token right?)"
	case s.Code() == codes.Unimplemented:
		text = e.remote.target + " is no Spark Connect server: " + text
	case died:
		text = "workers died over a task, the last one with: " + strings.TrimSuffix(words, " SQLSTATE: P0001")
	case strings.Contains(text, "INVALID_HANDLE.SESSION"):
		text += " (the session has ended: call Dial again)"
	case strings.Contains(text, "spark.driver.maxResultSize"):
		text += " (start the server with a higher spark.driver.maxResultSize, or 0 for no limit, and as much memory)"
	}
	return errors.New(text)
}
