#!/usr/bin/env bash
# gonb.sh BINARY builds the Go kernel with package hints inside, so that its errors say what they mean. GoNB has no
# hook for that: six of its lines are changed in a copy. The build fails where a new version of GoNB has others.
set -euo pipefail
binary=$1
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cd "$(dirname "$0")/../deps"
source=$(go mod download -json github.com/janpfeifer/gonb | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
cp -r "$source/." "$copy"
chmod -R u+w "$copy"
mkdir "$copy/internal/hints"
cp ../hints/hints.go ../hints/gonb.go ../hints/hints.txt "$copy/internal/hints"
change() { # FILE, what stands in it, what takes its place
	grep -qF "$2" "$copy/internal/$1" || { echo "GoNB has no $2 in $1" >&2; exit 1; }
	sed -i.old "s|$(sed 's/[][\\*.]/\\&/g' <<<"$2")|$3|" "$copy/internal/$1"
	[[ $3 != *hints.* ]] || sed -i.old 's|^import (|&\n"github.com/janpfeifer/gonb/internal/hints"|' "$copy/internal/$1"
}
# shellcheck disable=SC2016
change goexec/gonberror.go 'strings.Split(errorMsg, "\n")' \
	'strings.Split(hints.Notebook().Below(errorMsg, codeLines), "\\n")'
change goexec/execcode.go 'var stderr io.Writer = stderrWithAnnotator' \
	'var stderr io.Writer = hints.Notebook().Following(stderrWithAnnotator)'
# The line of a mistake is shown without those around it, which may be of the program that is made of the cell.
change goexec/gonberror.go 'lineNum - LinesForErrorContext' 'lineNum'
change goexec/gonberror.go 'lineNum + LinesForErrorContext' 'lineNum + 1'
# A place is the cell's alone, without that in the program made of it, and the exit status is said once.
change goexec/execcode.go '[][]byte{cellText, match}' '[][]byte{cellText}'
change jpyexec/jpyexec.go 'exec.exitError.Error() + "\n"' '""'
cp go.mod "$copy/hints.mod"
cp go.sum "$copy/hints.sum"
go mod edit -replace "github.com/janpfeifer/gonb=$copy" "$copy/hints.mod"
go build -modfile "$copy/hints.mod" -o "$binary" github.com/janpfeifer/gonb
