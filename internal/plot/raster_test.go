package plot

import (
	"bytes"
	"image/color"
	"image/png"
	"strings"
	"testing"
)

// What diagrams are made of is where it is in the SVG, in its colours; what they are not made of is refused.
func TestRaster(t *testing.T) {
	const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-10 -20 100 80"><title>a &amp; b</title><rect x="-10" y="-20" width="100" height="80" fill="#ffffff"/>
<rect x="0" y="0" width="40" height="20" rx="8" fill="#f4f6f9" stroke="#333333" stroke-width="1.4"/><circle cx="70" cy="10" r="5" fill="#0072b2"/>
<path d="M0,40L20,40C30,40 40,40 50,40" fill="none" stroke="#d55e00" stroke-width="4"/><path d="M60,30L80,30L70,50Z" fill="#009e73"/>
<text x="20" y="18" font-size="16" fill="#111111" text-anchor="middle">HHH</text></svg>`
	b, err := Raster([]byte(svg))
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	size := picture.Bounds().Size()
	if size.X < 200 || size.X*80 < size.Y*99 || size.X*80 > size.Y*101 {
		t.Fatalf("the picture is %v", size)
	}
	at := func(x, y float64) color.NRGBA {
		scale := float64(size.X) / 100
		return color.NRGBAModel.Convert(picture.At(int((x+10)*scale), int((y+20)*scale))).(color.NRGBA)
	}
	for _, place := range []struct {
		x, y float64
		want uint32
	}{
		{-5, -15, 0xffffff}, {20, 2.5, 0xf4f6f9}, {20, 0, 0x333333}, {0.6, 0.6, 0xffffff} /* a round corner */, {70, 10, 0x0072b2}, {76, 10, 0xffffff},
		{10, 40, 0xd55e00}, {45, 40, 0xd55e00}, {55, 40, 0xffffff}, {70, 35, 0x009e73}, {62, 48, 0xffffff},
	} {
		want := color.NRGBA{uint8(place.want >> 16), uint8(place.want >> 8), uint8(place.want), 0xff}
		if got := at(place.x, place.y); got != want {
			t.Errorf("at %g, %g is %v, want %v", place.x, place.y, got, want)
		}
	}
	dark := func(from, to float64) (n int) {
		for x := from; x < to; x += 0.25 {
			for y := 5.0; y < 18; y += 0.25 {
				if c := at(x, y); c.R < 0x30 {
					n++
				}
			}
		}
		return n
	}
	if left, right, beyond := dark(3, 20), dark(20, 37), dark(-10, -1); left < 100 || right < 100 || beyond > 0 {
		t.Errorf("the text has %d dots left of its middle, %d right of it, and %d elsewhere", left, right, beyond)
	}
	for _, wrong := range []string{"", "<svg>", `<svg viewBox="0 0 0 1"/>`, `<svg viewBox="0 0 9 9"><image/></svg>`, `<svg viewBox="0 0 9 9"><text>x</svg>`} {
		if _, err := Raster([]byte(wrong)); err == nil || !strings.HasPrefix(err.Error(), "plot: ") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}
