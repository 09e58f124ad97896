//go:build !amd64 || noasm || amd64.v3

package forest_test

const gonumAssembly = false
