// Package statefile is the file of a saved state: a header, and named sections with checksums.
//
//	header    "almanac state\n" and 2 bytes 0; version, 4 bytes; checksum of these, 4 bytes
//	section   length of the name, 2 bytes; name; length of the content, 8 bytes; checksum of
//	          these, 4 bytes; content; checksum of the content, 4 bytes
//	…
//	section   named "end", whose content is the number of sections before it, 8 bytes
//
// Numbers are little-endian. Checksums are CRC-32C, for which processors have an instruction: they
// take less time than copying the bytes. The package knows nothing of what the sections hold.
//
//	writer.go   Writer: sections, one after the other; File: has a temporary name until complete
//	reader.go   Reader: the list of sections, and their contents
//	numbers.go  slices of numbers as the bytes that they have in memory
package statefile
