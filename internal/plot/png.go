package plot

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
)

// encodePNG writes a picture without transparency. Each row is stored as what is otherwise than in the row above, which in a chart is
// little. The encoder of the standard library tries five such ways on each row: that took 2.4 times as long for four charts of a small model,
// for files a twentieth to a seventh smaller.
func encodePNG(m *image.RGBA) ([]byte, error) {
	size := m.Bounds().Size()
	b := bytes.NewBufferString("\x89PNG\r\n\x1a\n")
	header := binary.BigEndian.AppendUint32(nil, uint32(size.X))
	header = binary.BigEndian.AppendUint32(header, uint32(size.Y))
	writeChunk(b, "IHDR", append(header, 8, 2, 0, 0, 0)) // eight bits each of red, green and blue
	var data bytes.Buffer
	z, err := zlib.NewWriterLevel(&data, zlib.BestSpeed)
	if err != nil {
		return nil, err
	}
	const up = 2 // the way: what is otherwise than above
	row, above := make([]byte, 1+3*size.X), make([]byte, 4*size.X)
	row[0] = up
	for y := range size.Y {
		dots := m.Pix[y*m.Stride:][:4*size.X]
		if bytes.Equal(dots, above) {
			clear(row[1:])
		} else {
			for x := range size.X {
				to, is, was := row[1+3*x:][:3], dots[4*x:][:3], above[4*x:][:3]
				to[0], to[1], to[2] = is[0]-was[0], is[1]-was[1], is[2]-was[2]
			}
		}
		if _, err := z.Write(row); err != nil {
			return nil, err
		}
		above = dots
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	writeChunk(b, "IDAT", data.Bytes())
	writeChunk(b, "IEND", nil)
	return b.Bytes(), nil
}

// writeChunk writes a part of a PNG file: its length, its name, its data, and a sum of the last two.
func writeChunk(b *bytes.Buffer, name string, data []byte) {
	var number [4]byte
	binary.BigEndian.PutUint32(number[:], uint32(len(data)))
	b.Write(number[:])
	from := b.Len()
	b.WriteString(name)
	b.Write(data)
	binary.BigEndian.PutUint32(number[:], crc32.ChecksumIEEE(b.Bytes()[from:]))
	b.Write(number[:])
}
