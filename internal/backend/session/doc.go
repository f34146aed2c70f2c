// Package session is one update's hold on a stack: it takes the lock, reads the checkpoint, folds what an interrupted
// update left in its journal, records what the engine does, and in the end folds that into a new checkpoint.
//
// Whatever happens in between, the checkpoint or checkpoint and journal together hold everything that was confirmed.
// Only the holder of the lock stores a fold; [Read] folds in memory and says so. A journal is folded only onto the very
// checkpoint it continues: when another tool changed that, both are kept and the error is *backend.JournalConflictError.
//
// The package refuses to know about files: package backend's interfaces keep the bytes. Entry points: [Open] for updates,
// [Read] for everything that only looks, [Create] for new stacks.
package session
