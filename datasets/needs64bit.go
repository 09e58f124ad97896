//go:build 386 || arm || mips || mipsle

package datasets

// Rows times columns are counted in an int, which must have 64 bits. On platforms
// where it has 32, this undefined name stops the compiler.
var _ = obliqua_needs_a_64_bit_platform
