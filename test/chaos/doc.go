// Package chaos has no code of its own. Its tests run the command line program as a process, end it at random instants
// while it creates, changes, reads and deletes resources of a provider with a cloud of its own, and compare what the
// next run makes of it with that cloud.
//
// CHAOS_KILLS says how often to kill (25), CHAOS_SEED repeats a run (a new seed when unset or 0; it is always logged),
// CHAOS_PULUMI names a program to test in place of the one built from this module. A test that fails keeps its folder,
// which has a transcript of all commands. CHAOS_UPSTREAM names the executable of the Pulumi CLI, with its language hosts
// beside it, for the test that mixes the two; without it that test is skipped.
package chaos
