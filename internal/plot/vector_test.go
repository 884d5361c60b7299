package plot

import (
	"bytes"
	"image/color"
	"image/png"
	"testing"

	"github.com/almanac-sim/almanac/internal/vector"
)

// Each kind of shape is where the drawing has it, in its colours.
func TestPNGOfDrawing(t *testing.T) {
	at := func(x, y float64) vector.Point { return vector.Point{X: x, Y: y} }
	to := func(x, y float64) vector.Curve { return vector.Curve{To: at(x, y), Straight: true} }
	b, err := PNG(vector.Drawing{Left: -10, Top: -20, Width: 100, Height: 80, Shapes: []vector.Shape{
		{Kind: vector.Rect, At: at(0, 0), Width: 40, Height: 20, Radius: 8, Fill: vector.RGB(0xf4f6f9),
			Stroke: vector.RGB(0x333333), Thick: 1.4},
		{Kind: vector.Circle, At: at(70, 10), Radius: 5, Fill: vector.RGB(0x0072b2)},
		{Kind: vector.Path, At: at(0, 40), Path: []vector.Curve{to(20, 40), {A: at(30, 40), B: at(40, 40), To: at(50, 40)}},
			Stroke: vector.RGB(0xd55e00), Thick: 4},
		{Kind: vector.Path, At: at(60, 30), Path: []vector.Curve{to(80, 30), to(70, 50)}, Closed: true,
			Fill: vector.RGB(0x009e73)},
		{Kind: vector.Text, At: at(20, 18), Words: "HHH", Size: 16, Anchor: "middle", Fill: vector.RGB(0x111111)},
	}})
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
	dot := func(x, y float64) color.NRGBA {
		scale := float64(size.X) / 100
		return color.NRGBAModel.Convert(picture.At(int((x+10)*scale), int((y+20)*scale))).(color.NRGBA)
	}
	for _, place := range []struct {
		x, y float64
		want uint32
	}{
		{-5, -15, 0xffffff}, {20, 2.5, 0xf4f6f9}, {20, 0, 0x333333}, {0.6, 0.6, 0xffffff}, /* a round corner */
		{70, 10, 0x0072b2}, {76, 10, 0xffffff},
		{10, 40, 0xd55e00}, {45, 40, 0xd55e00}, {55, 40, 0xffffff}, {70, 35, 0x009e73}, {62, 48, 0xffffff},
	} {
		want := vector.RGB(place.want)
		if got := dot(place.x, place.y); got != want {
			t.Errorf("at %g, %g is %v, want %v", place.x, place.y, got, want)
		}
	}
	dark := func(from, to float64) (n int) {
		for x := from; x < to; x += 0.25 {
			for y := 5.0; y < 18; y += 0.25 {
				if c := dot(x, y); c.R < 0x30 {
					n++
				}
			}
		}
		return n
	}
	if left, right, beyond := dark(3, 20), dark(20, 37), dark(-10, -1); left < 100 || right < 100 || beyond > 0 {
		t.Errorf("the text has %d dots left of its middle, %d right of it, and %d elsewhere", left, right, beyond)
	}
}
