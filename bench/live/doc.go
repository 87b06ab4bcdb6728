// Package live measures the event streams of an edge: what one takes in memory, and when the last of many pages hears of a
// publish. make live writes the report.
package live
