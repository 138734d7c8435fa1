// Command icons draws every icon of berth: those of the tray in four states, three sets of colours and six
// sizes, and the one of the program. The results are committed, so that a build needs nothing; a test
// compares them with what this command draws.
//
//	go run ./packaging/icons -root .
package main

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/png"
	"log"
	"os"
	"path/filepath"
)

var (
	states    = []string{"quiet", "occupied", "attention", "offline"}
	traySizes = []int{16, 22, 24, 32, 48, 64}
	appSizes  = []int{48, 128, 256}
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("icons: ")
	root := flag.String("root", ".", "the root of the repository")
	flag.Parse()
	for name, img := range drawAll() {
		if err := write(filepath.Join(*root, name), img); err != nil {
			log.Fatal(err)
		}
	}
}

// drawAll returns every icon by its path in the repository.
func drawAll() map[string]*image.NRGBA {
	all := map[string]*image.NRGBA{
		"packaging/icons/berth.png": appIcon(512),
		"tray/icons/png/app.png":    appIcon(128),
	}
	for _, px := range appSizes {
		all[fmt.Sprintf("packaging/icons/berth-%d.png", px)] = appIcon(px)
	}
	for _, p := range palettes {
		for _, state := range states {
			for _, px := range traySizes {
				all[fmt.Sprintf("tray/icons/png/%s-%s-%d.png", state, p.name, px)] = trayIcon(state, p, px)
			}
		}
	}
	return all
}

func write(path string, img image.Image) error {
	var b bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestCompression}
	if err := enc.Encode(&b, img); err != nil {
		return fmt.Errorf("encode %s: %w", path, err)
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}
