package paper

import (
	"fmt"
	"regexp"
	"strconv"
)

// A Queued is a line of the queue: runs that are to be done.
type Queued struct {
	*Experiment
	Only  func(run Run) bool // which runs the line is for
	Hours float64            // a guess for each run of a problem, method and X of which none is done yet
	Why   string             // for people
}

// ReadQueue reads the queue in the file at path, the most worthwhile runs first. Of its columns experiment is a name,
// match a regular expression that finds "problem, method, x", and repeats the last repeat that is wanted, 0 for all. It
// returns an error for an experiment that isn't among all.
func ReadQueue(path string, all []*Experiment) (queue []Queued, err error) {
	byName := map[string]*Experiment{}
	for _, e := range all {
		byName[e.Name] = e
	}
	err = eachLine(path, func(l *Line) {
		match, repeats := parsed(l, "match", regexp.Compile), parsed(l, "repeats", strconv.Atoi)
		e := parsed(l, "experiment", func(name string) (*Experiment, error) {
			if byName[name] == nil {
				return nil, fmt.Errorf("no experiment is called %q", name)
			}
			return byName[name], nil
		})
		queue = append(queue, Queued{e, func(r Run) bool { return Selects(r, match, repeats) }, l.Number("hours"),
			l.Text("why")})
	})
	return queue, err
}

// Selects reports whether "problem, method, x" of a run matches, and its repeat isn't beyond repeats, unless that is 0.
func Selects(r Run, match *regexp.Regexp, repeats int) bool {
	return (repeats == 0 || r.Repeat <= repeats) && match.MatchString(fmt.Sprintf("%s, %s, %d", r.Problem, r.Method, r.X))
}
