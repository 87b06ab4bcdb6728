// Package modes checks the stylesheet of a design system with modes: css-tree reads it, and its size stays near that of one
// mode.
package modes
