package plot

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
)

// encodePNG encodes an opaque image. image/png tries five filters for every row, which takes longer
// than to paint a chart. In a chart most rows are like the one above, and the filter Up is best.
func encodePNG(img *image.RGBA) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("\x89PNG\r\n\x1a\n")
	chunk := func(name string, data []byte) {
		sum := crc32.Update(crc32.ChecksumIEEE([]byte(name)), crc32.IEEETable, data)
		b.Write(binary.BigEndian.AppendUint32(nil, uint32(len(data))))
		b.WriteString(name)
		b.Write(data)
		b.Write(binary.BigEndian.AppendUint32(nil, sum))
	}
	width, height := img.Rect.Dx(), img.Rect.Dy()
	head := binary.BigEndian.AppendUint32(nil, uint32(width))
	head = binary.BigEndian.AppendUint32(head, uint32(height))
	chunk("IHDR", append(head, 8, 2, 0, 0, 0)) // 8 bits of red, green and blue, not interlaced

	var pixels bytes.Buffer
	z, err := zlib.NewWriterLevel(&pixels, zlib.BestSpeed)
	if err != nil {
		return nil, err
	}
	const up = 2
	row := make([]byte, 1+3*width)
	row[0] = up
	above := make([]byte, 4*width)
	for y := range height {
		this := img.Pix[y*img.Stride:][:4*width]
		if bytes.Equal(this, above) {
			clear(row[1:])
		} else {
			for x := range width {
				row[1+3*x] = this[4*x] - above[4*x]
				row[2+3*x] = this[4*x+1] - above[4*x+1]
				row[3+3*x] = this[4*x+2] - above[4*x+2]
			}
		}
		if _, err := z.Write(row); err != nil {
			return nil, err
		}
		above = this
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	chunk("IDAT", pixels.Bytes())
	chunk("IEND", nil)
	return b.Bytes(), nil
}
