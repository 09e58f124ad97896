package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// An embedded is a data set that is part of package public.
type embedded struct {
	name     string
	creators string // as given by the archive
	title    string // in the archive
	doi      string
}

// embeddedSets are all in the UCI Machine Learning Repository under CC BY 4.0.
var embeddedSets = []embedded{
	{"balance-scale", "R. Siegler", "Balance Scale", "10.24432/C5488X"},
	{"banknote", "V. Lohweg", "Banknote Authentication", "10.24432/C55P57"},
	{"breast-cancer-wisc", "W. Wolberg", "Breast Cancer Wisconsin (Original)", "10.24432/C5HP4Z"},
	{"credit-approval", "J. R. Quinlan", "Credit Approval", "10.24432/C5FS30"},
	{"energy_heating", "A. Tsanas, A. Xifara", "Energy Efficiency", "10.24432/C51307"},
	{"glass", "B. German", "Glass Identification", "10.24432/C5WW2P"},
	{"iris", "R. A. Fisher", "Iris", "10.24432/C56C76"},
	{"statlog-vehicle", "P. Mowforth, B. Shepherd", "Statlog (Vehicle Silhouettes)", "10.24432/C5HG6N"},
	{"wine", "S. Aeberhard, M. Forina", "Wine", "10.24432/C5PC7J"},
}

const embeddedLicence = "CC BY 4.0"

func (e embedded) cite() string {
	return fmt.Sprintf("%s: %s. UCI Machine Learning Repository. https://doi.org/%s", e.creators, e.title, e.doi)
}

// writeEmbedded writes the embedded sets and their notice into a folder.
func writeEmbedded(folder, data string, counts map[string]count) error {
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	for _, e := range embeddedSets {
		text, err := canonical(filepath.Join(data, "csv", e.name+".csv.gz"), counts[e.name].sha256)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
		z.Write(text)
		z.Close() // a buffer refuses nothing
		if err := os.WriteFile(filepath.Join(folder, e.name+".csv.gz"), b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(folder, "NOTICE"), []byte(notice()), 0o644)
}

// canonical returns the text of a canonical CSV, which must have the given SHA-256.
func canonical(path, want string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var text []byte
	z, err := gzip.NewReader(f)
	if err == nil {
		text, err = io.ReadAll(z)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if got := fmt.Sprintf("%x", sha256.Sum256(text)); got != want {
		return nil, fmt.Errorf("%s: SHA-256 of the text is %s; want %s, as in INDEX.csv", path, got, want)
	}
	return text, nil
}

func notice() string {
	var b strings.Builder
	b.WriteString(`The data sets in this folder are from the UCI Machine Learning Repository,
https://archive.ics.uci.edu, and licensed under Creative Commons Attribution 4.0
International (CC BY 4.0), https://creativecommons.org/licenses/by/4.0/.

They were changed: a header was added to each file, the target column was moved to the
end, row numbers and other target columns were removed, and cells of "?" (missing) were
made empty. No other cell was changed.

`)
	for _, e := range embeddedSets {
		fmt.Fprintf(&b, "%s.csv.gz\n    %s\n", e.name, e.cite())
	}
	return b.String()
}
