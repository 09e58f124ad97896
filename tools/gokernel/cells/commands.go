package cells

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// commands carries out a cell's lines that begin with % or !, and returns the cell without
// them. The line %% or %main becomes the first of a function main.
func (s *Session) commands(p *Program, source string) (string, error) {
	lines := strings.Split(source, "\n")
	end := ""
	for i := 0; i < len(lines); i++ {
		command := i
		line := strings.TrimPrefix(lines[i], "//gonb:")
		if strings.HasPrefix(line, "package ") {
			lines[i] = ""
		}
		if len(line) < 2 || line[0] != '%' && line[0] != '!' {
			continue
		}
		lines[i] = ""
		for strings.HasSuffix(line, `\`) && i+1 < len(lines) {
			i++
			line = strings.TrimSuffix(line, `\`) + " " + strings.TrimPrefix(lines[i], "//gonb:")
			lines[i] = ""
		}
		words := fields(line[1:])
		if len(words) == 0 {
			continue
		}
		if line[0] == '!' || slices.Contains([]string{"%bash", "%sh", "%script"}, words[0]) {
			return "", fmt.Errorf("%s: a page in a browser starts no other programs", line)
		}
		args := words[1:]
		switch words[0] {
		case "%", "main":
			p.Args, end = args, "\n}"
			lines[command] = "func main() { flag.Parse()"
		case "exec":
			if len(args) == 0 {
				return "", fmt.Errorf("%%exec requires the name of the function to execute")
			}
			p.Args = args[1:]
			lines[command] = "func main() { flag.Parse(); " + args[0] + "() }"
		case "args":
			p.Args = args
		case "env":
			name, value, ok := strings.Cut(strings.Join(args, "="), "=")
			if !ok {
				return "", fmt.Errorf("%%env takes 2 arguments, the variable's name and its value; %d were given", len(args))
			}
			s.Env[name] = value
			p.Stdout += fmt.Sprintf("Set: %s=%q\n", name, value)
		case "autoget", "noautoget": // packages come with the page
		case "reset":
			*s = Session{Cells: s.Cells, Env: s.Env}
		case "help":
			p.Stdout += help
		case "ls", "list":
			p.Stdout += s.list()
		case "rm", "remove":
			for _, name := range args {
				if !s.forget(name) {
					p.Stderr += fmt.Sprintf("%q is not declared\n", name)
				}
			}
		default:
			p.Stderr += fmt.Sprintf("\"%%%s\" unknown or not implemented in a page\n", words[0])
		}
	}
	return strings.Join(lines, "\n") + end, nil
}

const help = `Above the line %% stand declarations (import, var, func, type), which later cells keep.
Below it stand statements, which run now. What they declare with := isn't kept.
%ls lists what is kept, %rm NAME forgets a name, %reset forgets everything.
%env NAME VALUE sets a variable of the environment; words after %% are the program's arguments.
Packages are imported by themselves. Each cell is a new program, which computes what it uses of earlier ones anew.
`

// list returns the names that cells have declared.
func (s *Session) list() string {
	names := map[string]bool{}
	for _, d := range s.Declarations {
		for _, name := range d.Names {
			names[name] = true
		}
	}
	delete(names, "_")
	return strings.Join(slices.Sorted(maps.Keys(names)), "\n") + "\n"
}

// fields splits a line at spaces. A part in quotation marks may hold spaces, and after a
// backslash any character; \n and \t are a new line and a tab.
func fields(line string) []string {
	var found []string
	var word []byte
	quoted, begun := false, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '"':
			quoted, begun = !quoted, true
		case !quoted && (c == ' ' || c == '\t'):
			if begun {
				found = append(found, string(word))
			}
			word, begun = nil, false
		case quoted && c == '\\' && i+1 < len(line):
			i++
			if at := strings.IndexByte("nt", line[i]); at >= 0 {
				word = append(word, "\n\t"[at])
			} else {
				word = append(word, line[i])
			}
		default:
			word, begun = append(word, c), true
		}
	}
	if begun {
		found = append(found, string(word))
	}
	return found
}
