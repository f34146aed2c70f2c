// Package journal is the ordered record of what an update did to a stack's state since its checkpoint: operations that
// were begun, what the finished ones changed, and which failed.
//
// A record is small: it refers to resources of the base by their index and to new ones by the number they got when they
// were put, and repeats neither. [Fold] applies records to the base and gives the state that results; it is pure, and
// every prefix of a journal gives a valid state. A record is one line of JSON.
//
// The package refuses to store anything: backends keep the lines. Entry points: [Encode], [Decode], [Fold].
package journal
