package icons

import (
	"bytes"
	"image/png"
	"testing"

	"berth/tray"
)

func TestEveryIconIsThereInItsSize(t *testing.T) {
	for state := tray.IconQuiet; state <= tray.IconOffline; state++ {
		for _, set := range []Set{OnDark, OnLight, Mono} {
			for _, px := range Sizes() {
				b, err := Tray(state, set, px)
				if err != nil {
					t.Fatal(err)
				}
				cfg, err := png.DecodeConfig(bytes.NewReader(b))
				if err != nil || cfg.Width != px || cfg.Height != px {
					t.Errorf("%s %s %d: %dx%d, %v", state, set, px, cfg.Width, cfg.Height, err)
				}
			}
		}
	}
	if _, err := Tray(tray.IconQuiet, OnDark, 23); err == nil {
		t.Error("a size that does not exist gave no error")
	}
}

func TestAppIconDecodes(t *testing.T) {
	cfg, err := png.DecodeConfig(bytes.NewReader(App()))
	if err != nil || cfg.Width != 128 {
		t.Errorf("got width %d, %v", cfg.Width, err)
	}
}
