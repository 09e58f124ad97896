package l1

// sum returns the sum of x.
func sum(x []float64) float64 {
	var a, b, c, d float64
	for ; len(x) >= 4; x = x[4:] {
		a += x[0]
		b += x[1]
		c += x[2]
		d += x[3]
	}
	for _, v := range x {
		a += v
	}
	return (a + b) + (c + d)
}

// sums returns Σ g·x and Σ h·x over column j.
func (m *Matrix) sums(j int, g, h []float64) (gx, hx float64) {
	var g0, g1, h0, h1 float64
	if m.sparse {
		cells := m.nonzeros(j)
		for ; len(cells) >= 2; cells = cells[2:] {
			x, y := float64(cells[0].X), float64(cells[1].X)
			i, k := cells[0].Index, cells[1].Index
			g0 += float64(g[i] * x)
			h0 += float64(h[i] * x)
			g1 += float64(g[k] * y)
			h1 += float64(h[k] * y)
		}
		for _, c := range cells {
			g0 += float64(g[c.Index] * float64(c.X))
			h0 += float64(h[c.Index] * float64(c.X))
		}
		return g0 + g1, h0 + h1
	}
	x := m.column(j)
	for g, h = g[:len(x)], h[:len(x)]; len(x) >= 2 && len(g) >= 2 && len(h) >= 2; x, g, h = x[2:], g[2:], h[2:] {
		v, w := float64(x[0]), float64(x[1])
		g0 += float64(g[0] * v)
		h0 += float64(h[0] * v)
		g1 += float64(g[1] * w)
		h1 += float64(h[1] * w)
	}
	for i, v := range x {
		g0 += float64(g[i] * float64(v))
		h0 += float64(h[i] * float64(v))
	}
	return g0 + g1, h0 + h1
}

// second returns Σ h·(x−mean)² over column j, where mean is that under h, and total is
// Σ h, and the inverse of that sum, which is 0 if the sum is no more than rounding.
func (m *Matrix) second(j int, h []float64, mean, total float64) (second, inv float64) {
	square := float64(float64(total*mean) * mean)
	if m.sparse {
		var a float64
		for _, c := range m.nonzeros(j) {
			x := float64(c.X)
			a += float64(h[c.Index] * float64(x*x))
		}
		return a - square, inverse(a-square, 1e-11*a)
	}
	x := m.column(j)
	h = h[:len(x)]
	var a, b float64
	for ; len(x) >= 2 && len(h) >= 2; x, h = x[2:], h[2:] {
		v, w := float64(x[0])-mean, float64(x[1])-mean
		a += float64(h[0] * float64(v*v))
		b += float64(h[1] * float64(w*w))
	}
	for i, v := range x {
		v := float64(v) - mean
		a += float64(h[i] * float64(v*v))
	}
	return a + b, inverse(a+b, 1e-22*square)
}

// product returns Σ x·h·u over column j.
func (m *Matrix) product(j int, h, u []float64) float64 {
	var a, b float64
	if m.sparse {
		cells := m.nonzeros(j)
		for ; len(cells) >= 2; cells = cells[2:] {
			i, k := cells[0].Index, cells[1].Index
			a += float64(float64(h[i]*u[i]) * float64(cells[0].X))
			b += float64(float64(h[k]*u[k]) * float64(cells[1].X))
		}
		for _, c := range cells {
			a += float64(float64(h[c.Index]*u[c.Index]) * float64(c.X))
		}
		return a + b
	}
	x := m.column(j)
	for h, u = h[:len(x)], u[:len(x)]; len(x) >= 2 && len(h) >= 2 && len(u) >= 2; x, h, u = x[2:], h[2:], u[2:] {
		a += float64(float64(h[0]*u[0]) * float64(x[0]))
		b += float64(float64(h[1]*u[1]) * float64(x[1]))
	}
	for i, v := range x {
		a += float64(float64(h[i]*u[i]) * float64(v))
	}
	return a + b
}

// add adds z times column j to u.
func (m *Matrix) add(j int, z float64, u []float64) {
	if m.sparse {
		for _, c := range m.nonzeros(j) {
			u[c.Index] += float64(z * float64(c.X))
		}
		return
	}
	x := m.column(j)
	u = u[:len(x)]
	for i, v := range x {
		u[i] += float64(z * float64(v))
	}
}
