package about

import (
	"os"
	"strings"
)

// hostAbout is the machine.
type hostAbout struct {
	OS      string `json:"os"`
	Version string `json:"version"`
	Arch    string `json:"arch"`
}

// hostOf describes the machine for Go's names of its system and processor.
func hostOf(system, processor string) *hostAbout {
	h := &hostAbout{OS: system, Arch: processor}
	switch processor {
	case "amd64":
		h.Arch = "x86_64"
	case "arm64":
		if system == "linux" {
			h.Arch = "aarch64"
		}
	}
	if system != "linux" {
		return h
	}
	text, err := os.ReadFile("/etc/os-release")
	if err != nil {
		return h
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		value = strings.Trim(value, `"'`)
		switch name {
		case "ID":
			h.OS = value
		case "VERSION_ID":
			h.Version = value
		}
	}
	if h.OS == "debian" {
		// Only this file knows the point release.
		if text, err := os.ReadFile("/etc/debian_version"); err == nil {
			h.Version = strings.TrimSpace(string(text))
		}
	}
	return h
}
