// Package monitor serves the ResourceMonitor and Engine services over gRPC: it decodes requests through package wire,
// hands them to an [engine.Monitor] and encodes the answers.
//
// It refuses to decide anything. Entry point: [Serve].
package monitor
