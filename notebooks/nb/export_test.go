package nb

// HTML and Text are what a table shows, for tests outside the package: gopls offers tests within it to cells.
func (t Table) HTML() string { return t.html() }
func (t Table) Text() string { return t.text() }
