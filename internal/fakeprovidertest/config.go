package fakeprovidertest

import (
	"context"
	"slices"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"
)

// The provider's configuration keys.
const (
	configControl = "control" // path of the control file
	configToken   = "token"   // secret, checked against Control.AcceptTokens
	configAccount = "account" // a change replaces the provider and all its things
)

// CheckConfig implements the provider protocol.
func (s *Server) CheckConfig(ctx context.Context, r *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	return &pulumirpc.CheckResponse{Inputs: r.GetNews(), Failures: checkFailures(ruleOf(ctx))}, nil
}

// DiffConfig implements the provider protocol.
func (s *Server) DiffConfig(ctx context.Context, r *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	olds := r.GetOldInputs()
	if olds == nil {
		olds = r.GetOlds()
	}
	return diffResponse(olds, r.GetNews(), diffRules{replace: []string{configAccount}, rule: ruleOf(ctx)}), nil
}

// Configure implements the provider protocol.
func (s *Server) Configure(_ context.Context, r *pulumirpc.ConfigureRequest) (*pulumirpc.ConfigureResponse, error) {
	if file := configured(r, configControl); file != "" {
		s.setControl(file)
	}
	control, err := s.faults()
	if err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	if err := accepts(control, configured(r, configToken)); err != nil {
		return nil, err
	}
	return &pulumirpc.ConfigureResponse{
		AcceptSecrets:   !control.SecretsBlind,
		SupportsPreview: !control.NoPreview,
		AcceptResources: true,
		AcceptOutputs:   true,
	}, nil
}

func accepts(control Control, token string) error {
	switch {
	case len(control.AcceptTokens) == 0 || slices.Contains(control.AcceptTokens, token):
		return nil
	case token != "":
		return status.Error(codes.Unauthenticated, "the token is not accepted")
	}
	missing, err := status.New(codes.InvalidArgument, "required configuration keys were missing").WithDetails(
		&pulumirpc.ConfigureErrorMissingKeys{MissingKeys: []*pulumirpc.ConfigureErrorMissingKeys_MissingKey{
			{Name: configToken, Description: "The token of the account."},
		}})
	if err != nil {
		return err
	}
	return missing.Err()
}

// configured is a string of the configuration, secret or not.
func configured(r *pulumirpc.ConfigureRequest, key string) string {
	return plain(r.GetArgs().GetFields()[key]).GetStringValue()
}

func checkFailures(r Rule) []*pulumirpc.CheckFailure {
	var failures []*pulumirpc.CheckFailure
	for _, property := range sortedKeys(r.CheckFailures) {
		failures = append(failures, &pulumirpc.CheckFailure{Property: property, Reason: r.CheckFailures[property]})
	}
	return failures
}

// orEmpty stands in for an absent struct.
func orEmpty(s *structpb.Struct) *structpb.Struct {
	if s == nil {
		return &structpb.Struct{Fields: map[string]*structpb.Value{}}
	}
	return s
}
