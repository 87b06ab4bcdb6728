// Package systems pushes the published token files of real design systems, as they come, and counts what becomes of each token beside what
// Style Dictionary and Terrazzo make of the same files. Its tests install nothing.
//
// TestSystems pushes the packages that make suite NAME=systems has installed, and the documents of the corpus beside the project, and compares what an
// edge serves of each with testdata/expected.json; -update writes that file, -record the custom properties themselves into a folder, and
// -results the table. TestRecordOwn writes what the packages' own stylesheets have into a folder, and TestCompareRecords compares two folders.
package systems
