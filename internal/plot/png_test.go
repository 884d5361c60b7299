package plot

import (
	"bytes"
	"image"
	"image/png"
	"math/rand/v2"
	"testing"
)

// image/png reads what encodePNG writes: the same dots.
func TestEncodePNG(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range []image.Point{{1, 1}, {1, 300}, {300, 1}, {257, 129}} {
		for _, colours := range []int{1, 3, 256} {
			img := image.NewRGBA(image.Rectangle{Max: size})
			for i := range img.Pix {
				img.Pix[i] = uint8(r.IntN(colours))
			}
			if size.Y > 1 { // two rows that are equal
				copy(img.Pix[img.Stride:], img.Pix[:img.Stride])
			}
			for i := 3; i < len(img.Pix); i += 4 {
				img.Pix[i] = 255 // opaque
			}
			data, err := encodePNG(img)
			if err != nil {
				t.Fatal(err)
			}
			got, err := png.Decode(bytes.NewReader(data))
			if err != nil {
				t.Fatalf("%v, %d colours: %v", size, colours, err)
			}
			if got.Bounds() != img.Bounds() {
				t.Fatalf("%v: got %v", img.Bounds(), got.Bounds())
			}
			for y := range size.Y {
				for x := range size.X {
					if got.(*image.RGBA).RGBAAt(x, y) != img.RGBAAt(x, y) {
						t.Fatalf("%v, %d colours: dot %d, %d is %v, want %v", size, colours, x, y, got.At(x, y), img.At(x, y))
					}
				}
			}
		}
	}
}
