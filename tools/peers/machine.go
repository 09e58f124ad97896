package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
)

// checkedOut returns the commit that is checked out, followed by + if Go files differ from it.
func checkedOut() (string, error) {
	commit, err := exec.Command("git", "rev-parse", "--short=10", "HEAD").Output()
	if err != nil {
		return "", fmt.Errorf("git rev-parse: %w", err)
	}
	changed, err := exec.Command("git", "status", "--porcelain", "--", "*.go").Output()
	if err != nil {
		return "", fmt.Errorf("git status: %w", err)
	}
	mark := ""
	if len(changed) > 0 {
		mark = "+"
	}
	return strings.TrimSpace(string(commit)) + mark, nil
}

// machine returns the processor's name and its number of threads.
func machine() string {
	name := runtime.GOARCH
	body, _ := os.ReadFile("/proc/cpuinfo")
	if _, rest, ok := strings.Cut(string(body), "\nmodel name"); ok {
		line, _, _ := strings.Cut(rest, "\n")
		name = strings.TrimLeft(line, "\t :")
	}
	return fmt.Sprintf("%s, %d threads", name, runtime.NumCPU())
}

// memory returns the bytes of memory that a process holds (VmRSS) or held at most (VmHWM), or 0 if the system has no
// /proc. The process is a number, or self.
func memory(process, entry string) (bytes int64) {
	body, _ := os.ReadFile("/proc/" + process + "/status")
	if _, rest, ok := strings.Cut(string(body), "\n"+entry+":"); ok {
		fmt.Sscan(rest, &bytes) // in kB
	}
	return bytes << 10
}

// appendCSV adds lines to a CSV file. It makes the file, with the names of the columns, if need be.
func appendCSV(path string, columns []string, lines ...[]string) error {
	var text bytes.Buffer
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		lines = slices.Insert(lines, 0, columns)
	}
	if err := csv.NewWriter(&text).WriteAll(lines); err != nil {
		return err
	}
	return appendText(path, text.Bytes())
}

// appendText adds text to the end of a file, which it makes if need be.
func appendText(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}
