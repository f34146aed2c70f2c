// Package updateplan is the data of an update plan: what a preview found that an update would do, for an update to be held
// to. The package decides nothing (that is engine/plan.Constraint and its like) and knows no file format (that is
// deploymentjson.EncodePlan). Entry point: [Plan].
package updateplan
