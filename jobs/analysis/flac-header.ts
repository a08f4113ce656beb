/** RFC 9639 section 9.1: codes in 4 bytes, a number in up to 7, size and rate in up to 2 each, a checksum. */
export const flacHeaderBytes = 16

const countLeadingOnes = (byte: number) => Math.clz32(~byte << 24)

const numberBytes = (first: number) => Math.max(1, countLeadingOnes(first))

// The codes of a block size and of a sample rate that are written behind the number, and in how many bytes.
const sizeBytes: Readonly<Record<number, number>> = { 6: 1, 7: 2 }
const rateBytes: Readonly<Record<number, number>> = { 12: 1, 13: 2, 14: 2 }

// RFC 9639 section 9.1.8: x^8 + x^2 + x + 1.
const checksum = (bytes: Uint8Array) => {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x80 ? ((crc << 1) ^ 7) & 0xff : crc << 1
  }
  return crc
}

/** How long the header of a frame is that begins here; 0 where none does. */
const findHeaderLength = (bytes: Uint8Array, at: number) => {
  if (bytes[at] !== 0xff || ((bytes[at + 1] ?? 0) & 0xfe) !== 0xf8) return 0
  const codes = bytes[at + 2] ?? 0
  const length =
    4 + numberBytes(bytes[at + 4] ?? 0) + (sizeBytes[codes >> 4] ?? 0) + (rateBytes[codes & 15] ?? 0)
  return checksum(bytes.subarray(at, at + length)) === bytes[at + length] ? length + 1 : 0
}

/**
 * Where a piece that should end at `end` ends: in front of a header that it would cut. The FLAC decoder does not look
 * again for a header of which it has seen a part, and loses the frame.
 */
export const findFlacPieceEnd = (bytes: Uint8Array, start: number, end: number) => {
  let pieceEnd = end
  for (let at = pieceEnd - 1; at > start && at > pieceEnd - flacHeaderBytes; at--)
    if (at + findHeaderLength(bytes, at) > pieceEnd) pieceEnd = at
  return pieceEnd
}
