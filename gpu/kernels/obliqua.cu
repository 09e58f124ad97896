// The kernels of package gpu. NVRTC compiles this text for devices, after device.h; g++
// compiles it for tests without a device, after emulate.h. A parameter of a kernel has 8
// bytes, because gorgonia.org/cu copies 8 bytes of each.
//
// The results have the bits of forest/internal/kernel. A sum is taken by one thread, in the
// order of the CPU, with __fmul_rn, __fadd_rn and their like, which compilers don't fuse. So
// no sum may be shared out over threads, and none may be added to atomically.

typedef long long Long;

// A tree is an array of units in preorder, so the left child follows its parent's units.
// kind is in the lowest four bits of x and a number m in the others.
//
//	CLASS      y: the leaf's index in Tree.Nodes, z: class
//	DIST       y: the same, z: row of class weights, w: the class of the largest weight
//	VALUE      y: the same, w: bits of the value
//	LINEAR     y: the same, z: place of m scores in models
//	AXIS       y: bits of the threshold, z: unit of the right child, w: feature
//	NEAR       y, z: the same; m terms follow in (m+1)/2 units
//	FAR        y, z: the same, w: place of m terms in functions
//	QUADRATIC  y, z: the same, w: place in functions of m features, m weights, m(m+1)/2
//	           numbers of Q and the bias
//	LOWRANK    y, z: the same, w: place in functions of m features, m weights, the centre,
//	           the bias, the number of squares, that of positive squares, and the squares' factors
//	PLANE      y: the plane's number in the tree, z: unit of the right child
enum { CLASS, DIST, VALUE, LINEAR, AXIS, NEAR, FAR, QUADRATIC, LOWRANK, PLANE };

struct __align__(16) Unit { int x, y, z, w; };
struct __align__(8) Term { int feature; float weight; };

// Where a tree's parts begin: its units, functions (in words), rows of class weights, and
// models (in words).
struct Tree { Long nodes, functions, shares, models; };

struct Forest {
	const Unit *nodes;
	const Tree *trees;
	const int *functions;
	const float *shares; // of mixed leaves: the class proportions, a row of `classes` numbers each, or else the values,
	                     // one for each output
	const float *logs;   // log2(1 + share), for the rule CONSENSUS
	const int *models;   // a score is its class, bias, number of terms k, and k terms
	const double *base;  // one number for each output, for sums of values
	Long features, classes, outputs, treeCount;
};

// The rules, numbered as in package forest.
enum { PLURALITY, AVERAGE, CONSENSUS, SUM };

// A row's cells: cell j is at[j*step].
struct Cells {
	const float *at;
	Long step;
	__device__ float operator[](int j) const { return at[j * step]; }
};

// Where a row's sums are: that of class or output c is at [c*stride].
struct Sums {
	float *scores;
	double *values, *scratch;
	Long stride;
	int rule;
};

static __device__ float asFloat(int bits) { return __int_as_float(bits); }

// kernel.Linear
static __device__ float linear(const Term *terms, int m, Cells x) {
	if (m == 0) return 0;
	float v = __fmul_rn(terms[0].weight, x[terms[0].feature]);
#pragma unroll 4
	for (int i = 1; i < m; i++) v = __fadd_rn(v, __fmul_rn(terms[i].weight, x[terms[i].feature]));
	return v;
}

// kernel.Quadratic
static __device__ __noinline__ float quadratic(const int *at, int m, Cells x) {
	const int *features = at, *w = at + m, *q = at + 2 * m;
	const int *bias = q + (Long)m * (m + 1) / 2;
	double v = asFloat(*bias);
	for (int i = 0; i < m; i++) {
		double t = asFloat(w[i]);
		for (int j = 0; j <= i; j++) t = __dadd_rn(t, __dmul_rn(asFloat(*q++), x[features[j]]));
		v = __dadd_rn(v, __dmul_rn(x[features[i]], t));
	}
	return __double2float_rn(v);
}

// kernel.LowRank
static __device__ __noinline__ float lowRank(const int *at, int m, Cells x) {
	const int *features = at, *w = at + m, *centre = at + 2 * m, *more = at + 3 * m;
	const int squares = more[1], positive = more[2];
	const int *factors = more + 3;
	double v = asFloat(more[0]);
	for (int i = 0; i < m; i++) {
		const double z = __dadd_rn(x[features[i]], -(double)asFloat(centre[i]));
		v = __dadd_rn(v, __dmul_rn(asFloat(w[i]), z));
	}
	for (int r = 0; r < squares; r++) {
		double s = 0;
		for (int i = 0; i < m; i++) {
			const double z = __dadd_rn(x[features[i]], -(double)asFloat(centre[i]));
			s = __dadd_rn(s, __dmul_rn(asFloat(*factors++), z));
		}
		const double square = __dmul_rn(s, s);
		v = __dadd_rn(v, r < positive ? square : -square);
	}
	return __double2float_rn(v);
}

// descend returns the leaf that a row reaches.
static __device__ Unit descend(const Forest &f, const Tree &tree, Cells x) {
	const Unit *nodes = f.nodes + tree.nodes, *at = nodes;
	const int *functions = f.functions + tree.functions;
	for (;;) {
		const Unit n = *at;
		const int kind = n.x & 15, m = (int)((unsigned)n.x >> 4);
		if (kind < AXIS) return n;
		const Unit *left = at + 1;
		float v;
		if (kind == AXIS) {
			v = x[n.w];
		} else if (kind == NEAR) {
			v = linear((const Term *)left, m, x);
			left += (m + 1) / 2;
		} else if (kind == FAR) {
			v = linear((const Term *)(functions + n.w), m, x);
		} else if (kind == QUADRATIC) {
			v = quadratic(functions + n.w, m, x);
		} else {
			v = lowRank(functions + n.w, m, x);
		}
		at = v <= asFloat(n.y) ? left : nodes + n.z;
	}
}

// kernel.Exp, for x ≤ 0.
static __device__ __noinline__ double exponential(double x) {
	if (x < -745.2) return 0;
	const double k = floor(__dadd_rn(__ddiv_rn(x, 0.693147180559945309417232121458176568), 0.5));
	const double r = __dadd_rn(__dadd_rn(x, -__dmul_rn(k, 6.93147180369123816490e-01)), -__dmul_rn(k, 1.90821492927058770002e-10));
	double sum = 1;
	for (int i = 13; i > 0; i--) sum = __dadd_rn(1, __dmul_rn(__ddiv_rn(r, i), sum));
	const int e = (int)k; // a factor of 2ᵏ; below 2⁻¹⁰²² in two steps, of which only the second rounds
	if (e >= -1000) return __dmul_rn(sum, __longlong_as_double((Long)(1023 + e) << 52));
	return __dmul_rn(__dmul_rn(sum, __longlong_as_double((Long)(1023 + e + 200) << 52)), 0x1p-200);
}

// kernel.Log2, for 1 ≤ x ≤ 2.
static __device__ double binaryLogarithm(double x) {
	if (x == 1) return 0;
	if (x == 2) return 1;
	double fraction = __dmul_rn(x, 0.5), k = 0;
	if (fraction < 0.707106781186547524400844362104849039) fraction = x, k = -1;
	const double f = __dadd_rn(fraction, -1);
	const double s = __ddiv_rn(f, __dadd_rn(2, f));
	const double s2 = __dmul_rn(s, s), s4 = __dmul_rn(s2, s2);
	const double odd = __dadd_rn(6.666666666666735130e-01, __dmul_rn(s4, __dadd_rn(2.857142874366239149e-01,
		__dmul_rn(s4, __dadd_rn(1.818357216161805012e-01, __dmul_rn(s4, 1.479819860511658591e-01))))));
	const double even = __dadd_rn(3.999999999940941908e-01, __dmul_rn(s4, __dadd_rn(2.222219843214978396e-01,
		__dmul_rn(s4, 1.531383769920937332e-01))));
	const double r = __dadd_rn(__dmul_rn(s2, odd), __dmul_rn(s4, even));
	const double half = __dmul_rn(__dmul_rn(0.5, f), f);
	const double low = __dadd_rn(__dmul_rn(s, __dadd_rn(half, r)), __dmul_rn(k, 1.90821492927058770002e-10));
	const double log = __dadd_rn(__dmul_rn(k, 6.93147180369123816490e-01), -__dadd_rn(__dadd_rn(half, -low), -f));
	return __dadd_rn(__dmul_rn(log, 1.44269504088896340735992468100189214), 1);
}

static __device__ __noinline__ float logShare(float share) { return __double2float_rn(binaryLogarithm(__dadd_rn(1, share))); }

static __device__ void addScore(Sums s, int c, float share) {
	float *at = s.scores + c * s.stride;
	*at = __fadd_rn(*at, share);
}

static __device__ void addValue(Sums s, int output, double value) {
	double *at = s.values + output * s.stride;
	*at = __dadd_rn(*at, value);
}

// scoreOf returns a score of a model: its bias and the sum of its terms.
static __device__ __noinline__ double scoreOf(const int *score, Cells x) {
	double s = asFloat(score[1]);
	const int terms = score[2];
	const int *at = score + 3;
	for (int i = 0; i < terms; i++, at += 2) s = __dadd_rn(s, __dmul_rn(asFloat(at[1]), x[at[0]]));
	return s;
}

static __device__ const int *nextScore(const int *score) { return score + 3 + 2 * score[2]; }

// addSoftmax adds what a linear leaf of m scores says of a row's class, by the rule.
static __device__ __noinline__ void addSoftmax(const int *model, int m, Cells x, Sums s) {
	const int *at = model;
	double largest = 0, sum = 0;
	int best = 0;
	for (int i = 0; i < m; i++, at = nextScore(at)) {
		const double score = scoreOf(at, x);
		s.scratch[i * s.stride] = score;
		if (i == 0 || score > largest) largest = score, best = *at;
	}
	if (s.rule == PLURALITY) {
		addScore(s, best, 1);
		return;
	}
	for (int i = 0; i < m; i++) {
		const double e = exponential(__dadd_rn(s.scratch[i * s.stride], -largest));
		s.scratch[i * s.stride] = e;
		sum = __dadd_rn(sum, e);
	}
	at = model;
	for (int i = 0; i < m; i++, at = nextScore(at)) {
		const float share = __double2float_rn(__ddiv_rn(s.scratch[i * s.stride], sum));
		addScore(s, *at, s.rule == CONSENSUS ? logShare(share) : share);
	}
}

// addLeaf adds what a leaf of tree t says of a row.
static __device__ void addLeaf(const Forest &f, const Tree &tree, Long t, const Unit &leaf, Cells x, Sums s) {
	const int kind = leaf.x & 15, m = (int)((unsigned)leaf.x >> 4);
	if (kind == VALUE) {
		addValue(s, (int)(t % f.outputs), asFloat(leaf.w));
	} else if (kind == LINEAR) {
		const int *model = f.models + tree.models + leaf.z;
		if (s.values)
			addValue(s, (int)(t % f.outputs), scoreOf(model, x));
		else
			addSoftmax(model, m, x, s);
	} else if (s.values) {
		const float *value = f.shares + tree.shares + leaf.z * f.outputs;
		for (int o = 0; o < f.outputs; o++) addValue(s, o, value[o]);
	} else if (kind == CLASS) {
		addScore(s, leaf.z, 1);
	} else if (s.rule == PLURALITY) {
		addScore(s, leaf.w, 1);
	} else {
		const float *share = (s.rule == CONSENSUS ? f.logs : f.shares) + tree.shares + leaf.z * f.classes;
		for (int c = 0; c < f.classes; c++) addScore(s, c, share[c]);
	}
}

static __device__ Long thread() { return (Long)blockIdx.x * blockDim.x + threadIdx.x; }

static __device__ Sums sumsOf(Long row, float *scores, double *values, double *scratch, Long stride, Long rule) {
	return Sums{scores ? scores + row : 0, values ? values + row : 0, scratch ? scratch + row : 0, stride, (int)rule};
}

// start sets the sums of all rows to what they are before the first tree.
extern "C" __global__ void start(const Forest *forest, float *scores, double *values, Long rows, Long stride) {
	const Long row = thread();
	if (row >= rows) return;
	if (scores)
		for (int c = 0; c < forest->classes; c++) scores[c * stride + row] = 0;
	else
		for (int c = 0; c < forest->outputs; c++) values[c * stride + row] = forest->base[c];
}

// walk sends one row down trees [first, last), in order.
static __device__ void walk(const Forest &f, Cells x, Sums s, int *leaves, Long first, Long last) {
	for (Long t = first; t < last; t++) {
		const Tree tree = f.trees[t];
		const Unit leaf = descend(f, tree, x);
		if (leaves)
			leaves[t] = leaf.y;
		else
			addLeaf(f, tree, t, leaf, x, s);
	}
}

// score sends rows down trees [first, last), a thread a row. With leaves it writes the
// leaves, row after row; without, it adds what they say to scores or values.
//
// A block has at most 128 threads. The bound on registers lets six blocks share a
// multiprocessor, so that some threads' loads hide behind others'.
//
// x holds columns of `stride` rows. If tile is 1, a block copies its cells to shared memory
// first, where each thread reads only the banks of its own.
extern "C" __global__ void __launch_bounds__(128, 6) score(const Forest *forest, const float *x, float *scores, double *values, double *scratch,
		int *leaves, Long rows, Long stride, Long first, Long last, Long rule, Long tile) {
	EXTERN_SHARED(float, cells);
	const Long row = thread();
	if (row >= rows) return; // there is no barrier: a thread reads what it has written itself
	const Sums s = sumsOf(row, scores, values, scratch, stride, rule);
	if (leaves) leaves += row * forest->treeCount;
	if (tile) {
		for (int j = 0; j < forest->features; j++) cells[j * blockDim.x + threadIdx.x] = x[j * stride + row];
		walk(*forest, Cells{cells + threadIdx.x, blockDim.x}, s, leaves, first, last);
	} else {
		walk(*forest, Cells{x + row, stride}, s, leaves, first, last);
	}
}

// scorePlanes is score for tree t, whose splits are planes, given the rows' sides.
extern "C" __global__ void scorePlanes(const Forest *forest, const float *x, float *scores, double *values, double *scratch,
		int *leaves, Long rows, Long stride, Long t, Long rule, const unsigned char *side, Long sideStride) {
	const Long row = thread();
	if (row >= rows) return;
	const Tree tree = forest->trees[t];
	const Unit *nodes = forest->nodes + tree.nodes;
	Unit n = *nodes;
	for (int at = 0; (n.x & 15) == PLANE; n = nodes[at])
		at = side[(n.y >> 3) * sideStride + row] >> (n.y & 7) & 1 ? n.z : at + 1;
	if (leaves)
		leaves[row * forest->treeCount + t] = n.y;
	else
		addLeaf(*forest, tree, t, n, Cells{x + row, stride}, sumsOf(row, scores, values, scratch, stride, rule));
}

// logShares sets logs[i] to log2(1 + shares[i]), rounded.
extern "C" __global__ void logShares(const float *shares, float *logs, Long n) {
	const Long i = thread();
	if (i < n) logs[i] = logShare(shares[i]);
}

template <class T> static __device__ int largest(const T *at, Long stride, Long n) {
	int best = 0;
	for (int c = 1; c < n; c++)
		if (at[c * stride] > at[best * stride]) best = c;
	return best;
}

// label sets each row's class, given its sums.
extern "C" __global__ void label(const Forest *forest, const float *scores, const double *values, int *labels, Long rows, Long stride) {
	const Long row = thread();
	if (row >= rows) return;
	if (scores)
		labels[row] = largest(scores + row, stride, forest->classes);
	else if (forest->outputs > 1)
		labels[row] = largest(values + row, stride, forest->outputs);
	else
		labels[row] = values[row] > 0;
}

// probabilities sets each row's class probabilities, given sums of values that are log-odds.
extern "C" __global__ void probabilities(const Forest *forest, const double *values, double *proba, Long rows, Long stride) {
	const Long row = thread();
	if (row >= rows) return;
	if (forest->outputs == 1) {
		const double v = values[row], odds = exponential(v < 0 ? v : -v);
		const double less = __ddiv_rn(odds, __dadd_rn(1, odds)), more = __ddiv_rn(1, __dadd_rn(1, odds));
		proba[row] = v < 0 ? more : less;
		proba[stride + row] = v < 0 ? less : more;
		return;
	}
	const double most = values[largest(values + row, stride, forest->outputs) * stride + row];
	double sum = 0;
	for (int c = 0; c < forest->outputs; c++) {
		const double e = exponential(__dadd_rn(values[c * stride + row], -most));
		proba[c * stride + row] = e;
		sum = __dadd_rn(sum, e);
	}
	for (int c = 0; c < forest->outputs; c++) proba[c * stride + row] = __ddiv_rn(proba[c * stride + row], sum);
}

// A block multiplies ROWS rows by PLANES planes, DEPTH features at a time, and a thread 4
// rows by 8 planes. 256 threads.
enum { ROWS = 128, PLANES = 64, DEPTH = 16, THREADS = 256 };

// Rows of m cells each, one behind another. Row i of the result is row order[i] of these.
struct ByRow {
	const float *cells;
	const int *order;
	Long rows, m;
	// load copies 8 cells of one row.
	__device__ void load(float (*tile)[ROWS + 4], Long row0, int j0) const {
		const int row = threadIdx.x / 2, from = threadIdx.x % 2 * 8;
		const float *cell = row0 + row < rows ? cells + order[row0 + row] * m : 0;
		for (int i = from; i < from + 8; i++) tile[i][row] = cell && j0 + i < m ? cell[j0 + i] : 0;
	}
};

// Columns of `stride` rows each, of which m are used.
struct ByColumn {
	const float *x;
	const int *features;
	Long rows, m, stride;
	__device__ void load(float (*tile)[ROWS + 4], Long row0, int j0) const {
		const int row = threadIdx.x % ROWS;
		for (int i = threadIdx.x / ROWS; i < DEPTH; i += THREADS / ROWS)
			tile[i][row] = row0 + row < rows && j0 + i < m ? x[features[j0 + i] * stride + row0 + row] : 0;
	}
};

// multiply sets bit k%8 of out[(k/8)*outStride+i] to 1 if row i isn't on the left of plane
// k: unless the sum of its weights times the row's cells is at most thresholds[k]. planes is a
// multiple of 8. Weight j of plane k is weights[(k/16*m+j)*16+k%16]: sixteen planes lie side
// by side, and the last sixteen are filled up.
template <class Source>
static __device__ void multiply(const Source &x, const float *weights, const float *thresholds, unsigned char *out,
		Long outStride, Long planes) {
	SHARED(float, a, [DEPTH][ROWS + 4]);
	SHARED(float, b, [DEPTH][PLANES]);
	const int group = threadIdx.x % 8, quad = threadIdx.x / 8;
	const Long row0 = (Long)blockIdx.x * ROWS, plane0 = (Long)blockIdx.y * PLANES;
	float sum[4][8];
	for (int r = 0; r < 4; r++)
		for (int k = 0; k < 8; k++) sum[r][k] = 0;
	for (int j0 = 0; j0 < x.m; j0 += DEPTH) {
		x.load(a, row0, j0);
		for (int i = threadIdx.x; i < DEPTH * PLANES; i += THREADS) {
			const Long j = j0 + i / PLANES, k = plane0 + i % PLANES;
			b[i / PLANES][i % PLANES] = j < x.m && k < planes ? weights[((k >> 4) * x.m + j) * 16 + (k & 15)] : 0;
		}
		__syncthreads();
		// Beyond the last feature both tiles hold 0, which moves no sum across a threshold.
#pragma unroll
		for (int j = 0; j < DEPTH; j++)
			for (int r = 0; r < 4; r++)
				for (int k = 0; k < 8; k++)
					sum[r][k] = __fadd_rn(sum[r][k], __fmul_rn(a[j][4 * quad + r], b[j][8 * group + k]));
		__syncthreads();
	}
	const Long plane = plane0 + 8 * group;
	if (plane >= planes) return;
	for (int r = 0; r < 4; r++) {
		const Long row = row0 + 4 * quad + r;
		if (row >= x.rows) return;
		int bits = 0;
		for (int k = 0; k < 8; k++) bits |= !(sum[r][k] <= thresholds[plane + k]) << k;
		out[plane / 8 * outStride + row] = (unsigned char)bits;
	}
}

// sides is for growing, sidesColumns for prediction.
extern "C" __global__ void __launch_bounds__(THREADS) sides(const float *cells, const int *order, const float *weights,
		const float *thresholds, unsigned char *out, Long rows, Long outStride, Long m, Long planes) {
	multiply(ByRow{cells, order, rows, m}, weights, thresholds, out, outStride, planes);
}

extern "C" __global__ void __launch_bounds__(THREADS) sidesColumns(const float *x, const int *features, const float *weights,
		const float *thresholds, unsigned char *out, Long rows, Long stride, Long m, Long planes) {
	multiply(ByColumn{x, features, rows, m, stride}, weights, thresholds, out, stride, planes);
}

// The kernels below do a step of GRAF's growth: bounds, draw, sides, count, gains, best. The
// contract of device.Rows says what they calculate. planes is a multiple of 8; of the planes
// that were drawn, the last few may be more than were asked for.

// A Region has some impure region's rows: runs [run, run+runs), one for each of its classes.
struct __align__(16) Region { double z; int run, runs; };

// A Run has n rows of a class, from the given one on. Pieces of PIECE rows are counted by
// count, from number `piece` on; gains counts the rest.
struct __align__(16) Run { int label, n, row, piece; };
enum { PIECE = 256 };

// bounds sets moments[j] to the smallest value of feature j in the target, [m+j] to how much
// larger the largest is, and [2m+j] to the mean.
extern "C" __global__ void bounds(const float *cells, const int *target, double *moments, Long rows, Long m) {
	const Long j = thread();
	if (j >= m) return;
	float lo = cells[target[0] * m + j], hi = lo;
	double sum = 0;
#pragma unroll 16
	for (Long i = 0; i < rows; i++) {
		const float v = cells[target[i] * m + j];
		lo = v < lo ? v : lo;
		hi = v > hi ? v : hi;
		sum = __dadd_rn(sum, v);
	}
	moments[j] = lo;
	moments[m + j] = __dadd_rn(hi, -(double)lo);
	moments[2 * m + j] = __ddiv_rn(sum, (double)rows);
}

// draw draws a plane in each thread, from SplitMix64.
extern "C" __global__ void draw(const double *moments, float *weights, float *thresholds, unsigned long long state, double scale, Long m, Long planes) {
	const Long k = thread();
	if (k >= planes) return;
	float *weight = weights + (k >> 4) * m * 16 + (k & 15);
	double at = 0;
	state += (unsigned long long)(k * m) * 0x9e3779b97f4a7c15;
	for (Long j = 0; j < m; j++) {
		unsigned long long z = state += 0x9e3779b97f4a7c15;
		z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
		z = (z ^ z >> 27) * 0x94d049bb133111eb;
		z ^= z >> 31;
		const double u = __dmul_rn((double)(z >> 11), 0x1p-53);
		const float v = __double2float_rn(__dmul_rn(__dadd_rn(moments[j], __dmul_rn(u, moments[m + j])), scale));
		weight[j * 16] = v;
		at = __dadd_rn(at, __dmul_rn(v, moments[2 * m + j]));
	}
	thresholds[k] = __double2float_rd(at);
}

// onRight returns how many of n rows have a bit set.
static __device__ int onRight(const unsigned char *side, int bit, int n) {
	int sum = 0;
#pragma unroll 8
	for (int i = 0; i < n; i++) sum += side[i] >> bit & 1;
	return sum;
}

// count sets counts[p*planes+k] to how many of the PIECE rows from pieces[p] on are on the
// right of plane k.
extern "C" __global__ void count(const unsigned char *side, const int *pieces, int *counts, Long rows, Long planes, Long n) {
	const Long i = thread(), p = i / planes, k = i % planes;
	if (p < n) counts[i] = onRight(side + (k >> 3) * rows + pieces[p], k & 7, PIECE);
}

// A Side is what the impurity of a region's rows on one side of a plane is made of.
struct Side {
	int n;
	double sum, squares;
	__device__ void add(int rows, double inverse) {
		const double share = __dmul_rn(rows, inverse);
		n += rows;
		sum = __dadd_rn(sum, share);
		squares = __dadd_rn(squares, __dmul_rn(share, share));
	}
	__device__ double impurity() const {
		const double gini = __dadd_rn(1, -__ddiv_rn(squares, __dmul_rn(sum, sum)));
		return __dmul_rn(n, gini > 0 ? gini : 0);
	}
};

// gains sets the gain of each plane, −∞ if it doesn't cut the target. Each thread of a block
// computes the decrease of impurity by one of eight planes in one of THREADS/8 regions at a time.
// Then the first threads add these up, region after region.
extern "C" __global__ void __launch_bounds__(THREADS) gains(const unsigned char *side, const Region *regions, const Run *runs, const int *counts,
		const double *inverse, double *gain, Long rows, Long planes, Long n, Long target, Long few) {
	SHARED(double, decrease, [THREADS / 8][8]);
	SHARED(int, cuts, [8]);
	const int bit = threadIdx.x % 8, part = threadIdx.x / 8;
	const Long k = blockIdx.x * 8 + bit;
	side += blockIdx.x * rows;
	double sum = 0;
	for (Long first = 0; first < n; first += THREADS / 8) {
		const Long i = first + part;
		double d = 0;
		if (i < n) {
			const Region region = regions[i];
			Side left = {0, 0, 0}, right = {0, 0, 0};
			for (const Run *run = runs + region.run; run < runs + region.run + region.runs; run++) {
				const int whole = run->n / PIECE;
				int on = onRight(side + run->row + whole * PIECE, bit, run->n % PIECE);
				for (int p = 0; p < whole; p++) on += counts[(run->piece + p) * planes + k];
				right.add(on, inverse[run->label]);
				left.add(run->n - on, inverse[run->label]);
			}
			const bool cut = left.n > 0 && right.n > 0;
			if (i == target) cuts[bit] = cut;
			if (cut) {
				const double a = left.impurity(), b = right.impurity();
				d = left.n + right.n <= few ? __dadd_rn(__dadd_rn(region.z, -a), -b) : __dadd_rn(region.z, -__dadd_rn(a, b));
			}
		}
		decrease[part][bit] = d;
		__syncthreads();
		if (part == 0)
			for (int r = 0; r < THREADS / 8; r++) sum = __dadd_rn(sum, decrease[r][bit]);
		__syncthreads();
	}
	if (part == 0) gain[k] = cuts[bit] ? sum : __longlong_as_double(0xfff0000000000000);
}

// What best finds. plane is −1 if no plane cuts the target.
struct __align__(16) Found { double gain; float threshold; int plane; };

// best finds the plane with the largest gain of the first n, and copies it. Every block finds it,
// and copies a part.
extern "C" __global__ void __launch_bounds__(THREADS) best(const double *gain, const float *weights, const float *thresholds, const unsigned char *side,
		Found *found, float *bestWeights, unsigned char *bestSide, Long n, Long rows, Long m) {
	SHARED(int, candidates, [THREADS]);
	int best = -1;
	double most = __longlong_as_double(0xfff0000000000000);
	for (Long k = threadIdx.x; k < n; k += THREADS)
		if (gain[k] > most) most = gain[k], best = (int)k;
	candidates[threadIdx.x] = best;
	__syncthreads();
	for (int t = 0; t < THREADS; t++) {
		const int k = candidates[t];
		if (k >= 0 && (best < 0 || gain[k] > most || (gain[k] == most && k < best))) most = gain[k], best = k;
	}
	const Long i = thread();
	if (i == 0) *found = Found{most, best < 0 ? 0 : thresholds[best], best};
	if (best < 0) return;
	if (i < m) bestWeights[i] = weights[((Long)(best >> 4) * m + i) * 16 + (best & 15)];
	if (i < rows) bestSide[i] = side[(best >> 3) * rows + i] >> (best & 7) & 1;
}
