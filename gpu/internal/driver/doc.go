// Package driver finds the CUDA driver when a program starts, so that programs built with
// the tag cuda start without one, too. It defines the functions that gorgonia.org/cu links
// to, and passes calls on to libcuda.so.1 if there is one.
//
// lib/libcuda.a is an empty archive: cu asks the linker for a library of this name.
package driver
