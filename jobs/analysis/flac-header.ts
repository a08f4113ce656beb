/**
 * Maximum header size (RFC 9639, section 9.1): 4 bytes of codes, a number of up to 7, size and rate of up to 2,
 * checksum.
 */
export const flacHeaderBytes = 16

const countLeadingOnes = (byte: number) => Math.clz32(~byte << 24)

const countNumberBytes = (first: number) => Math.max(1, countLeadingOnes(first))

// Codes of block sizes and sample rates that follow the number, with their lengths in bytes.
const sizeBytes: Readonly<Record<number, number>> = { 6: 1, 7: 2 }
const rateBytes: Readonly<Record<number, number>> = { 12: 1, 13: 2, 14: 2 }

// RFC 9639, section 9.1.8: x^8 + x^2 + x + 1.
const computeCrc8 = (bytes: Uint8Array) => {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x80 ? ((crc << 1) ^ 7) & 0xff : crc << 1
  }
  return crc
}

/** Returns the length of the frame header at this offset, or 0 when there is none. */
const findHeaderLength = (bytes: Uint8Array, offset: number) => {
  if (bytes[offset] !== 0xff || ((bytes[offset + 1] ?? 0) & 0xfe) !== 0xf8) return 0
  const codes = bytes[offset + 2] ?? 0
  const length =
    4 + countNumberBytes(bytes[offset + 4] ?? 0) + (sizeBytes[codes >> 4] ?? 0) + (rateBytes[codes & 15] ?? 0)
  return computeCrc8(bytes.subarray(offset, offset + length)) === bytes[offset + length] ? length + 1 : 0
}

/**
 * Returns the end of a piece that should end at `end`, moved back to the start of a frame header that it would split.
 * The FLAC decoder loses a frame whose header it received in two parts.
 */
export const findFlacPieceEnd = (bytes: Uint8Array, start: number, end: number) => {
  let pieceEnd = end
  for (let offset = pieceEnd - 1; offset > start && offset > pieceEnd - flacHeaderBytes; offset--)
    if (offset + findHeaderLength(bytes, offset) > pieceEnd) pieceEnd = offset
  return pieceEnd
}
