// Package fakeprovidertest is the provider "fp": a plugin with a cloud of its own, for tests of faults and kills.
//
// Its cloud is a ledger folder that survives a kill at any instant, its calls are logged, and a control file says
// how it misbehaves. It speaks the provider protocol on the generated stubs alone and imports nothing of the
// engine, so that it cannot share the engine's mistakes: values are echoed as they came over the wire.
//
// Types: fp:index:Thing (v updates, force and name replace, a name can be taken only once, echo is copied around,
// everything else is accepted), fp:index:Comp (a remote component whose children are Things) and the function
// fp:index:invoke.
//
// Entry points: [Setup] makes a folder for a test, [Kit.Env] the environment for a plugin process, [Kit.Link] and
// [Kit.Build] put that plugin into a folder, [Start] serves it inside the test process, and [Main] is the process.
// [Ledger] reads what happened.
package fakeprovidertest
