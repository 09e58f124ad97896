package public

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// embeddedSums are SHA-256 of the canonical CSVs as the independent converter made them
// that the index of the data folder is from.
var embeddedSums = map[string]string{
	"balance-scale":      "890a1daea942695a0bfeaa445963d936cb8feaeca337da9a833a95f65668f246",
	"banknote":           "a4e6eb57f00dc0c5696badf6553001e8871644b5b98ab1b2869054af1d255125",
	"breast-cancer-wisc": "866269a75b117bb4dde84fb1e7490b664a733b1d85d97b94f936f24166a744c7",
	"credit-approval":    "617c62d72c4e40abe90911e0c2dddff8987ed08aa4ca380465971a2eee7990cb",
	"energy_heating":     "99ce291226137444d22f4b986bede8a9ae23d45ba873d2c786ccf27ed9f0373d",
	"glass":              "e052a1f541dfa48d988571ffafbb2794c0945281ee749b11020182fdcd4e5091",
	"iris":               "e1412f8c8c69c78fea91c42d8732f7edeb182234e9a67261b29617cc6097cc7b",
	"statlog-vehicle":    "75abed4415e563ad5401dbaed9df8d84e81bcfb1fa386e386f3841d1a3d2b8d5",
	"wine":               "bd9aba0c01a8e794bee2c67353fbfb5986da2e1b1bcd245229dab30b4ce9f916",
}

// deadHost returns the address of a host that must not be asked.
func deadHost(t *testing.T) string {
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("request of %s", r.URL)
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// The embedded sets are those of the table above, unchanged, and agree with the registry.
func TestEmbedded(t *testing.T) {
	notice := must.Value(os.ReadFile("embedded/NOTICE"))
	l := testLoader(t, deadHost(t))
	l.cache = filepath.Join(l.cache, "must not be made")
	found := 0
	for _, s := range registry() {
		if !s.embedded() {
			continue
		}
		found++
		sum := sha256.Sum256(gunzip(must.Value(embedded.ReadFile(s.embeddedPath()))))
		if got := hex.EncodeToString(sum[:]); got != embeddedSums[s.Name] {
			t.Errorf("%s: SHA-256 %s; want %q", s.Name, got, embeddedSums[s.Name])
		}
		d := must.Value(l.load(t.Context(), s.Name))
		checkInfo(t, &s, d)
		if info := s.info(); !info.Embedded || info.Licence != "CC BY 4.0" || !strings.HasPrefix(info.Citation, s.Cite) {
			t.Errorf("%s: %+v", s.Name, info)
		}
		if entry := s.Name + ".csv.gz\n    " + s.Cite + "\n"; s.Cite == "" || !strings.Contains(string(notice), entry) {
			t.Errorf("%s is not in embedded/NOTICE as it is cited: %q", s.Name, s.Cite)
		}
	}
	files, err := embedded.ReadDir("embedded")
	if err != nil || found != len(embeddedSums) || len(files) != found {
		t.Errorf("%d embedded sets are registered and %d files are there, %v; want %d", found, len(files), err,
			len(embeddedSums))
	}
	if _, err := os.Stat(l.cache); err == nil {
		t.Error("a cache was made")
	}
}

// A folder comes before the embedded set.
func TestEmbeddedComesAfterFolders(t *testing.T) {
	l := testLoader(t, deadHost(t))
	l.dirs = []string{t.TempDir()}
	writeGzip(t, filepath.Join(l.dirs[0], "iris.csv.gz"), "a,class\n1,x\n2,y\n3,y\n")
	if d := must.Value(l.load(t.Context(), "iris")); d.N() != 3 {
		t.Errorf("%d rows; want the 3 of the folder", d.N())
	}
}

// Without a folder for the cache, all sets can be loaded that need no download.
func TestEmbeddedWithoutCache(t *testing.T) {
	for _, name := range []string{"OBLIQUA_DATA", "OBLIQUA_CACHE", "XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(name, "")
	}
	if dir, err := os.UserCacheDir(); err == nil {
		t.Skip("this system has a cache folder for everybody:", dir)
	}
	if d, err := Load(t.Context(), "wine"); err != nil || d.N() != 178 {
		t.Error(err)
	}
	_, err := Load(t.Context(), "letter")
	readtest.WantError(t, err, "set OBLIQUA_CACHE")
}

// A loaded set is the caller's own: changing it doesn't change the next one.
func TestEmbeddedIsReadAnew(t *testing.T) {
	l := testLoader(t, deadHost(t))
	first := must.Value(l.load(t.Context(), "iris"))
	first.Columns[0][0], first.Labels[0], first.Classes[0] = -1, 2, "changed"
	second, err := l.load(t.Context(), "iris")
	if err != nil || second.At(0, 0) != 5.1 || second.Labels[0] != 0 || second.Classes[0] != "Iris-setosa" {
		t.Errorf("row %v, label %d, class %q, %v", second.Row(nil, 0), second.Labels[0], second.Classes[0], err)
	}
}

// An embedded set equals what the registered files give, and the file in the data folder.
func TestEmbeddedAgainstSources(t *testing.T) {
	dir := readtest.DataDir(t)
	index := string(must.Value(os.ReadFile(filepath.Join(dir, "INDEX.csv"))))
	l := testLoader(t, rawHost(t, dir).URL)
	offline := testLoader(t, deadHost(t))
	for name, sum := range embeddedSums {
		if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + `,.*\b` + sum + `\b`).MatchString(index) {
			t.Errorf("%s: the index has not the SHA-256 %s", name, sum)
		}
		want := must.Value(l.cached(t.Context(), lookup(name)))
		sameData(t, must.Value(offline.load(t.Context(), name)), want)
	}
}
