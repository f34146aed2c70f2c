// Package journey walks the way of a person who has never seen the program: the documentation word for word, its
// examples, and the mistakes on the way, each of which must say what to do next. Entry points: TestWalkthrough,
// TestDocuments, TestMistakes.
package journey
