// Package modes measures the stylesheet of a design system with modes beside what Terrazzo and Style Dictionary make of
// the same tokens: make modes.
package modes
