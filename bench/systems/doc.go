// Package systems pushes the published token files of real design systems, as they come, and counts what becomes of each
// token: its test installs nothing, reads the packages that make systems has installed, and writes a table with what
// Style Dictionary and Terrazzo make of the same files to the file that -results names.
//
// TestRecord writes what a program serves of each to a folder, TestRecordOwn what the packages' own stylesheets have, and
// TestCompareRecords how two such folders differ.
package systems
