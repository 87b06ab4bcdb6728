// Package guard compares the hot paths with a committed baseline: allocations and bytes of one run of each, the size of the
// renderer module, and the instructions of those that run on one thread, if there is valgrind to count them. Its test
// compares with baseline.json; -update writes that file anew, and -instructions counts instructions too.
// Times are never compared: they are of the machine and the moment.
package guard
