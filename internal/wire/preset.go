package wire

// The presets name the calls of the two services. "Args" and "Inputs" are read, "Return" and "Outputs" are sent on the
// program's side; on the provider's side requests are sent and [ProviderPeer.Returned] is read.

// everything is what may travel between parties that understand all kinds of value.
func everything() Options {
	return Options{Unknowns: KeepUnknowns, KeepSecrets: true, KeepResources: true, KeepOutputValues: true}
}

// RegisterInputs reads RegisterResource.object. Dependencies are kept.
func RegisterInputs() Options { return everything() }

// ReplacementTrigger reads RegisterResource.replacement_trigger.
func ReplacementTrigger() Options { return everything() }

// ReadInputs reads ReadResource.properties.
func ReadInputs() Options {
	return Options{Unknowns: KeepUnknowns, KeepSecrets: true, KeepResources: true}
}

// RegisterOutputs reads RegisterResourceOutputs.outputs.
func RegisterOutputs() Options { return ReadInputs() }

// InvokeArgs reads Invoke.args. Dependencies are kept: they pass to the result.
func InvokeArgs() Options { return everything() }

// CallArgs reads Call.args. Dependencies are kept.
func CallArgs() Options { return everything() }

// CallbackArgs sends values to a transform, hook or error hook of the program, and reads what it answers.
func CallbackArgs(byteStrings bool) Options {
	o := everything()
	o.KeepByteStrings = byteStrings
	return o
}

// TransformArgs sends the properties of a resource to a transform: secrets and unknowns go as output values.
func TransformArgs(byteStrings bool) Options {
	o := CallbackArgs(byteStrings)
	o.UpgradeToOutputValues = true
	return o
}

// AnalyzerArgs sends the properties of a resource to a policy pack.
func AnalyzerArgs() Options {
	return Options{Unknowns: KeepUnknowns, KeepSecrets: true, SkipInternalKeys: true}
}

// ProgramPeer is what a program's request says that its SDK understands.
type ProgramPeer struct {
	AcceptSecrets, AcceptResources, AcceptByteStrings, AcceptOutputValues bool
}

// Outputs sends the outputs of RegisterResource and ReadResource.
func (p ProgramPeer) Outputs() Options {
	return Options{
		Unknowns: KeepUnknowns, KeepSecrets: p.AcceptSecrets, KeepResources: p.AcceptResources,
		KeepByteStrings: p.AcceptByteStrings,
	}
}

// InvokeReturn sends the result of Invoke: always with secrets, since SDKs that cannot show them taint the result.
func (p ProgramPeer) InvokeReturn() Options {
	o := p.Outputs()
	o.KeepSecrets, o.KeepOutputValues = true, p.AcceptOutputValues
	return o
}

// GetResourceReturn sends the result of the pulumi:pulumi:getResource function: always with references.
func (p ProgramPeer) GetResourceReturn() Options {
	o := p.InvokeReturn()
	o.KeepResources = true
	return o
}

// CallReturn sends the result of Call.
func (p ProgramPeer) CallReturn() Options {
	o := p.InvokeReturn()
	o.KeepResources = true
	return o
}

// ProviderPeer is what a provider said it understands, in its handshake or its answer to Configure.
type ProviderPeer struct {
	AcceptSecrets, AcceptResources, AcceptOutputs, AcceptByteStrings bool
	// AcceptOutputsInInvoke and AcceptOutputsInCall let arguments and results carry dependencies.
	AcceptOutputsInInvoke, AcceptOutputsInCall bool
}

func (p ProviderPeer) base(preview bool) Options {
	o := Options{KeepSecrets: p.AcceptSecrets, KeepResources: p.AcceptResources, KeepByteStrings: p.AcceptByteStrings}
	if preview {
		o.Unknowns = KeepUnknowns
	}
	return o
}

// Config sends CheckConfig and DiffConfig: before Configure secrets and references are always stripped.
func (p ProviderPeer) Config() Options {
	return Options{Unknowns: KeepUnknowns, KeepByteStrings: p.AcceptByteStrings}
}

// Configure sends the args of Configure: always with secrets and references.
func (p ProviderPeer) Configure() Options {
	return Options{KeepSecrets: true, KeepResources: true, KeepByteStrings: p.AcceptByteStrings}
}

// Check sends the olds and news of Check.
func (p ProviderPeer) Check(preview bool) Options { return p.base(preview) }

// Diff sends Diff: contents of assets are left out, their hashes say enough.
func (p ProviderPeer) Diff(preview bool) Options {
	o := p.base(preview)
	o.ElideAssetContents = true
	return o
}

// News sends the new inputs of Create and Update.
func (p ProviderPeer) News(preview bool) Options { return p.base(preview) }

// Olds sends recorded values: the olds of Update, and Delete and Read.
func (p ProviderPeer) Olds() Options {
	o := p.base(false)
	o.ElideAssetContents = true
	return o
}

// Construct sends the inputs of Construct.
func (p ProviderPeer) Construct() Options {
	o := p.base(true)
	o.KeepOutputValues, o.UpgradeToOutputValues = p.AcceptOutputs, p.AcceptOutputs
	return o
}

// Invoke sends the args of Invoke.
func (p ProviderPeer) Invoke() Options {
	o := p.base(false)
	o.KeepOutputValues = p.AcceptOutputsInInvoke
	return o
}

// Call sends the args of Call.
func (p ProviderPeer) Call() Options {
	o := everything()
	o.KeepOutputValues, o.KeepByteStrings = p.AcceptOutputsInCall, p.AcceptByteStrings
	return o
}

// Returned reads what a provider answers: in a preview with unknowns, otherwise an unknown is an error.
func (p ProviderPeer) Returned(preview bool) Options {
	o := Options{Unknowns: RejectUnknowns, KeepSecrets: true, KeepResources: true}
	if preview {
		o.Unknowns = KeepUnknowns
	}
	return o
}

// InvokeReturned reads the result of Invoke.
func (p ProviderPeer) InvokeReturned(preview bool) Options {
	o := p.Returned(preview)
	o.KeepOutputValues = p.AcceptOutputsInInvoke
	return o
}

// ComponentReturned reads the results of Construct and Call, whose values may carry dependencies.
func (p ProviderPeer) ComponentReturned() Options { return everything() }

// ProviderRequest reads, in a provider that we serve, what an engine sends.
func ProviderRequest() Options {
	return Options{Unknowns: KeepUnknowns, KeepSecrets: true, KeepResources: true}
}

// ComponentRequest reads, in a provider that we serve, the inputs of Construct and the args of Call.
func ComponentRequest() Options { return everything() }

// EnginePeer is what an engine said it understands, to a provider that we serve.
type EnginePeer struct {
	AcceptSecrets, AcceptResources, AcceptByteStrings bool
}

// Response sends what a provider that we serve answers.
func (p EnginePeer) Response() Options {
	return Options{
		Unknowns: KeepUnknowns, KeepSecrets: p.AcceptSecrets, KeepResources: p.AcceptResources,
		KeepByteStrings: p.AcceptByteStrings,
	}
}

// ComponentResponse sends the results of Construct and Call of a provider that we serve.
func (p EnginePeer) ComponentResponse() Options {
	o := p.Response()
	o.KeepOutputValues = true
	return o
}
