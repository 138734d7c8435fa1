package kimi

import "path/filepath"

// HomeVariable is the environment variable that moves the client's home.
const HomeVariable = "KIMI_CODE_HOME"

// Home returns where the client keeps its data: the value of HomeVariable when it is set, else .kimi-code in
// userHome, on every system. A relative value counts from the working directory. A variable that is set but
// empty makes the client use whatever folder it is started in, which nobody else can know: the answer is "",
// as it is when userHome is empty.
func Home(lookup func(string) (string, bool), userHome string) string {
	dir, set := lookup(HomeVariable)
	switch {
	case set && dir == "":
		return ""
	case !set && userHome == "":
		return ""
	case !set:
		return filepath.Join(userHome, ".kimi-code")
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	return abs
}
