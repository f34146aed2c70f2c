package main

import "testing"

// TestBugsFindTheirPlace keeps the list up with the code.
func TestBugsFindTheirPlace(t *testing.T) {
	t.Parallel()
	for _, b := range bugs() {
		if _, err := b.plant("../.."); err != nil {
			t.Errorf("%s: %v", b.rule, err)
		}
	}
}
