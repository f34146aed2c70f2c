package upstream_test

func deliberateCode(name string, recorded int) int { return recorded }

func deliberate(name string, want, have any) (any, any) { return want, have }
