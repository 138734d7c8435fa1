package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2/maybe"
)

// ProjectDir returns the folder of a project: the configuration's, else the remembered one, else "".
func (c *Config) ProjectDir(p Paths, project string) string {
	for name, dir := range c.Projects {
		if strings.EqualFold(name, project) {
			return ExpandHome(dir)
		}
	}
	remembered, err := readProjects(p.Projects())
	if err != nil {
		return ""
	}
	return remembered[strings.ToLower(project)]
}

// RememberProject stores the folder of a project for the next time.
func RememberProject(p Paths, project, dir string) error {
	all, err := readProjects(p.Projects())
	if err != nil {
		return err
	}
	all[strings.ToLower(project)] = dir
	b, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(p.Projects()), 0o700); err != nil {
		return err
	}
	return maybe.WriteFile(p.Projects(), append(b, '\n'), 0o600)
}

func readProjects(path string) (map[string]string, error) {
	all := map[string]string{}
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(b, &all); err != nil {
		return nil, fmt.Errorf("read remembered projects %s: %w", path, err)
	}
	return all, nil
}
