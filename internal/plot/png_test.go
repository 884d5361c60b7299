package plot

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"testing"
)

// A picture is read again as it was written, dot by dot: of all colours, with rows that are as the one above and some that are not.
func TestPNGIsReadAsWritten(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range []image.Point{{1, 1}, {1, 9}, {300, 1}, {257, 40}} {
		m := image.NewRGBA(image.Rectangle{Max: size})
		for y := range size.Y {
			for x := range size.X {
				c := color.RGBA{uint8(r.Uint32()), uint8(r.Uint32()), uint8(r.Uint32()), 255}
				if y > 0 && y%3 == 0 {
					c = m.RGBAAt(x, y-1)
				}
				m.SetRGBA(x, y, c)
			}
		}
		data, err := encodePNG(m)
		if err != nil {
			t.Fatal(err)
		}
		read, err := png.Decode(bytes.NewReader(data))
		if err != nil || read.Bounds() != m.Bounds() {
			t.Fatalf("%v: %v", size, err)
		}
		for y := range size.Y {
			for x := range size.X {
				if got, want := color.RGBAModel.Convert(read.At(x, y)), m.RGBAAt(x, y); got != want {
					t.Fatalf("%v: the dot %d, %d is %v, not %v", size, x, y, got, want)
				}
			}
		}
	}
}
