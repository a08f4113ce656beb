import type { Bytes } from './audio-files.ts'

const page = (sequence: number, flags: number, granule: number, packets: readonly Buffer[]) => {
  const header = Buffer.alloc(27)
  header.write('OggS')
  header[5] = flags
  header.writeBigInt64LE(BigInt(granule), 6)
  header.writeUInt32LE(7, 14)
  header.writeUInt32LE(sequence, 18)
  header[26] = packets.length
  const bytes = Buffer.concat([header, Buffer.from(packets.map(({ length }) => length)), ...packets])
  bytes.writeUInt32LE(checksum(bytes), 22)
  return bytes
}

// RFC 3533, section 6: a CRC that is not reflected, without initial or final inversion.
const checksum = (bytes: Buffer) => {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte << 24
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000_0000 ? (crc << 1) ^ 0x04c1_1db7 : crc << 1
  }
  return crc >>> 0
}

interface OpusOptions {
  readonly packets: number
  readonly packet: Buffer
  readonly samplesPerPacket: number
  readonly packetsPerPage?: number
}

/** A stereo Ogg Opus file that repeats one packet. */
export const repeatedOpus = (options: OpusOptions): Bytes => {
  const { packets, packet, samplesPerPacket, packetsPerPage = 255 } = options
  const head = Buffer.from('OpusHead\x01\x02\x00\x00\x80\xbb\x00\x00\x00\x00\x00', 'latin1')
  const tags = Buffer.concat([Buffer.from('OpusTags'), Buffer.alloc(8)])
  const pages = [page(0, 2, 0, [head]), page(1, 0, 0, [tags])]
  for (let sent = 0; sent < packets; ) {
    const count = Math.min(packetsPerPage, packets - sent)
    sent += count
    const flags = sent === packets ? 4 : 0
    const content = Array.from({ length: count }, () => packet)
    pages.push(page(pages.length, flags, sent * samplesPerPacket, content))
  }
  return new Uint8Array(Buffer.concat(pages))
}

/** A code 3 packet of two empty frames of 60 ms: 5760 samples in 2 bytes. */
export const longestEmptyPacket = { packet: Buffer.from([(3 << 3) | 4 | 3, 2]), samplesPerPacket: 5760 }

/** An empty 20 ms frame, as sent in discontinuous transmission. */
export const dtxPacket = { packet: Buffer.from([(1 << 3) | 4]), samplesPerPacket: 960 }

/**
 * Adds a Skeleton stream that describes the other streams. Its first page comes before theirs, and its last page right
 * after their first pages.
 */
export const withSkeleton = (ogg: Bytes): Bytes => {
  const file = Buffer.from(ogg)
  const second = file.indexOf('OggS', 4)
  const head = Buffer.concat([Buffer.from('fishead\0\x03\0\0\0', 'latin1'), Buffer.alloc(52)])
  const pages = [page(0, 2, 0, [head]), file.subarray(0, second), page(1, 4, 0, []), file.subarray(second)]
  return new Uint8Array(Buffer.concat(pages))
}
