// Package cache says where files are kept between programs.
package cache

import (
	"fmt"
	"os"
	"path/filepath"
)

// Folder returns the folder OBLIQUA_CACHE, by default obliqua in the user's cache folder ([os.UserCacheDir]). It
// returns an error if there is neither. The folder may not exist yet.
func Folder() (string, error) {
	if folder := os.Getenv("OBLIQUA_CACHE"); folder != "" {
		return folder, nil
	}
	user, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder for the cache: %w; set OBLIQUA_CACHE", err)
	}
	return filepath.Join(user, "obliqua"), nil
}
