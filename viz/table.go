package viz

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/obliqua-ml/obliqua/internal/notebook"
	"github.com/obliqua-ml/obliqua/internal/plain"
)

// A Table is shown as HTML, and as text where HTML isn't shown. Cells are texts. Columns whose cells all look like
// numbers are aligned right.
type Table struct {
	Title string

	// Columns are their names. In "GODT|ours" the part before the bar is the name of a group: it stands once above
	// neighbours that have the same.
	Columns []string
	Rows    [][]string // as many cells as columns; one that begins with "*" is bold, such as the best of its row
	Note    string     // below the table
	Plain   bool       // bars and stars stand for themselves, as in names from a file

	Sorts bool                  // whether a click on a column's name sorts, on a page that has the script for it
	Drawn func(i, j int) string // HTML in the place of a cell's text, for Columns[j] where it isn't ""; nil for none
}

// Add adds a row. It panics unless it has a cell for each column.
func (t *Table) Add(cells ...string) {
	t.mustFit(cells)
	t.Rows = append(t.Rows, cells)
}

// mustFit panics unless the table has columns, and each row a cell for each.
func (t *Table) mustFit(rows ...[]string) {
	if len(t.Columns) == 0 {
		misuse("a table without columns")
	}
	for _, row := range rows {
		if len(row) != len(t.Columns) {
			misuse("a row of %d cells for %d columns", len(row), len(t.Columns))
		}
	}
}

// Show displays the table as one output of the cell. Outside a notebook it prints the text.
func (t Table) Show() {
	if !notebook.Present() {
		fmt.Print(t.String())
		return
	}
	notebook.Send(htmlOutput("", t.HTML(), t.String()))
	awaitKernel()
}

// heads returns the names of the columns' groups, empty where there is none, and of the columns.
func (t Table) heads() (groups, names []string) {
	for _, c := range t.Columns {
		group, name, ok := strings.Cut(c, "|")
		if !ok || t.Plain {
			group, name = "", c
		}
		groups, names = append(groups, group), append(names, name)
	}
	return groups, names
}

func notEmpty(text string) bool { return text != "" }

// numeric returns whether the cells of a column look like numbers.
func (t Table) numeric(j int) bool {
	return !slices.ContainsFunc(t.Rows, func(row []string) bool {
		cell := strings.TrimLeft(row[j], "*<≤±−-–+([ ")
		return cell != "" && (cell[0] < '0' || cell[0] > '9')
	})
}

// HTML returns the table as [Table.Show] displays it.
func (t Table) HTML() string {
	t.mustFit(t.Rows...)
	var b strings.Builder
	b.WriteString(`<div style="overflow-x:auto"><table`)
	if t.Sorts {
		b.WriteString(` class="sorts"`)
	}
	b.WriteByte('>')
	if t.Title != "" {
		fmt.Fprintf(&b, `<caption style="text-align:left"><b>%s</b></caption>`, escaped(t.Title))
	}
	groups, names := t.heads()
	b.WriteString("<thead>")
	if slices.ContainsFunc(groups, notEmpty) {
		b.WriteString("<tr>")
		for j := 0; j < len(groups); {
			end := j + 1
			for end < len(groups) && groups[end] == groups[j] {
				end++
			}
			fmt.Fprintf(&b, `<th colspan="%d" style="text-align:center">%s</th>`, end-j, escaped(groups[j]))
			j = end
		}
		b.WriteString("</tr>")
	}
	align := make([]string, len(names))
	b.WriteString("<tr>")
	for j, name := range names {
		align[j] = "left"
		if t.numeric(j) {
			align[j] = "right"
		}
		fmt.Fprintf(&b, `<th style="text-align:%s">%s</th>`, align[j], escaped(name))
	}
	b.WriteString("</tr></thead><tbody>")
	// Sentences in the first column, unlike names, may be broken.
	long := slices.ContainsFunc(t.Rows, func(row []string) bool { return characters(row[0]) > 40 })
	for i, row := range t.Rows {
		b.WriteString("<tr>")
		for j, cell := range row {
			text, bold := strings.CutPrefix(cell, "*")
			if t.Plain {
				text, bold = cell, false
			}
			text = escaped(text)
			if bold {
				text = "<b>" + text + "</b>"
			}
			if t.Drawn != nil {
				text = cmp.Or(t.Drawn(i, j), text)
			}
			style := "text-align:" + align[j]
			if align[j] == "right" || j == 0 && !long {
				style += ";white-space:nowrap"
			} else {
				style += ";min-width:12em" // scrolling is easier to read than a word a line
			}
			if j > 0 && groups[j] != groups[j-1] {
				style += ";padding-left:1.5em"
			}
			if j == 0 && t.Sorts {
				fmt.Fprintf(&b, `<th scope="row" style="%s">%s</th>`, style, text)
			} else {
				fmt.Fprintf(&b, `<td style="%s">%s</td>`, style, text)
			}
		}
		b.WriteString("</tr>")
	}
	b.WriteString("</tbody></table></div>")
	if t.Note != "" {
		fmt.Fprintf(&b, "<p>%s</p>", escaped(t.Note))
	}
	return b.String()
}

// String returns the table as text.
func (t Table) String() string {
	t.mustFit(t.Rows...)
	groups, names := t.heads()
	for j := len(groups) - 1; j > 0; j-- {
		if groups[j] == groups[j-1] {
			groups[j] = ""
		}
	}
	width := make([]int, len(names))
	for j := range names {
		width[j] = max(characters(groups[j]), characters(names[j]))
		for _, row := range t.Rows {
			width[j] = max(width[j], characters(row[j]))
		}
	}
	var b strings.Builder
	line := func(cells []string, left func(j int) bool) {
		text := ""
		for j, cell := range cells {
			space := strings.Repeat(" ", width[j]-characters(cell))
			if cell = plain.Text(cell); left(j) {
				cell += space
			} else {
				cell = space + cell
			}
			text += cell + "  "
		}
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	if t.Title != "" {
		b.WriteString(plain.Text(t.Title) + "\n")
	}
	if slices.ContainsFunc(groups, notEmpty) {
		line(groups, func(int) bool { return true })
	}
	left := func(j int) bool { return !t.numeric(j) }
	line(names, left)
	for _, row := range t.Rows {
		line(row, left)
	}
	if t.Note != "" {
		b.WriteString(plain.Text(t.Note) + "\n")
	}
	return b.String()
}

// characters returns how many characters of a text are printed.
func characters(text string) int { return utf8.RuneCountInString(plain.Text(text)) }

// escaped returns a text for HTML, in which invisible characters can be seen.
func escaped(text string) string { return html.EscapeString(plain.Text(text)) }
