package schema

// Builtin is the schema of package pulumi: the resources and functions that every engine has.
func Builtin() *Package {
	anything := Property{TypeSpec: TypeSpec{Shape: Shape{Ref: "pulumi.json#/Any"}}}
	text := Property{TypeSpec: TypeSpec{Shape: Shape{Type: "string"}}}
	mapOf := func(element TypeSpec) Property {
		return Property{TypeSpec: TypeSpec{Shape: Shape{Type: "object", AdditionalProperties: &element}}}
	}
	return &Package{
		Name: "pulumi",
		Resources: map[string]Resource{
			"pulumi:pulumi:StackReference": {
				ObjectType: ObjectType{
					Properties: map[string]Property{
						"name":    text,
						"outputs": mapOf(anything.TypeSpec),
						"secretOutputNames": {TypeSpec: TypeSpec{Shape: Shape{
							Type: "array", Items: &TypeSpec{Shape: Shape{Type: "string"}},
						}}},
					},
					Required: []string{"outputs"},
				},
				InputProperties: map[string]Property{"name": text},
			},
			"pulumi:index:Stash": {
				ObjectType: ObjectType{
					Properties: map[string]Property{"input": anything, "output": anything},
					Required:   []string{"input", "output"},
				},
				InputProperties: map[string]Property{"input": anything},
				RequiredInputs:  []string{"input"},
			},
		},
	}
}
