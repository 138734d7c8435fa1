// Package vaulttest makes a sample vault with every kind of session note that kioku.md names: sound and
// broken ones, notes of several releases, two groups of notes that an implicit end cannot tell apart, and
// the strays of a real vault. Tests, the demo store and scripts use it; nothing in it is real.
package vaulttest
