import type { FileWindow } from './file-window.ts'

/** A box, chunk, block or EBML element of a container. */
interface Element {
  readonly end: number
  /** The offset of the first child element; null if children are not inspected. */
  readonly childrenOffset: number | null
  /** The offset of the audio, if this element defines it. */
  readonly audioOffset: number | null
  readonly isLast: boolean
}

/** Reads the element at an offset whose parent ends at `end`. Returns null if no element can be read. */
export type ReadElement = (file: FileWindow, offset: number, end: number) => Element | null

const mp4Containers = new Set('moov trak mdia minf stbl udta edts dinf meta ilst moof traf mvex'.split(' '))

/**
 * ISO/IEC 14496-12 section 4.2: the size includes the header; 1 means a 64-bit size follows, 0 up to the end of the
 * file.
 */
export const readBox: ReadElement = (file, offset, end) => {
  const header = file.readHeader(offset, 16)
  const id = header.toString('latin1', 4, 8)
  const short = header.readUInt32BE(0)
  const size = short === 1 ? Number(header.readBigUInt64BE(8)) : short === 0 ? end - offset : short
  if (size < 8) return null
  const headerBytes = (short === 1 ? 16 : 8) + (id === 'meta' ? 4 : 0)
  const childrenOffset = mp4Containers.has(id) ? offset + headerBytes : null
  return { end: offset + size, childrenOffset, audioOffset: null, isLast: false }
}

const audioChunkIds = new Set(['data', 'SSND'])

const readChunk =
  (isBigEndian: boolean): ReadElement =>
  (file, offset) => {
    const header = file.readHeader(offset, 8)
    const id = header.toString('latin1', 0, 4)
    // Zero padding at the end of the file.
    if (id === '\0\0\0\0') return null
    const size = isBigEndian ? header.readUInt32BE(4) : header.readUInt32LE(4)
    return {
      end: offset + 8 + size + (size % 2),
      childrenOffset: id === 'LIST' ? offset + 12 : null,
      audioOffset: audioChunkIds.has(id) ? offset + 8 : null,
      isLast: false,
    }
  }

export const readRiffChunk = readChunk(false)
export const readAiffChunk = readChunk(true)

/** RFC 9639, section 8.1: a header bit marks the last metadata block before the frames. */
export const readFlacBlock: ReadElement = (file, offset) => {
  const header = file.readHeader(offset, 4)
  const isLast = (header.readUInt8(0) & 0x80) !== 0
  const end = offset + 4 + header.readUIntBE(1, 3)
  return { end, childrenOffset: null, audioOffset: isLast ? end : null, isLast }
}

// Segment, SeekHead, Seek, Info, Tracks, TrackEntry, Chapters, EditionEntry, ChapterAtom, Tags, Tag, SimpleTag,
// Attachments and AttachedFile. Tag parsers skip clusters and cues.
const ebmlContainers = new Set(
  '18538067 114d9b74 4dbb 1549a966 1654ae6b ae 1043a770 45b9 b6 1254c367 7373 67c8 1941a469 61a7'.split(' '),
)
const cluster = '1f43b675'

// RFC 8794, section 4: the length of a number in bytes is the count of leading zero bits plus one.
const countVintBytes = (first: number) => Math.clz32(first) - 23

/** RFC 8794, section 5: id, size, content. A size with all bits set is unknown. */
export const readEbmlElement: ReadElement = (file, offset, end) => {
  const header = file.readHeader(offset, 12)
  const idBytes = countVintBytes(header.readUInt8(0))
  if (idBytes > 4) return null
  const id = header.toString('hex', 0, idBytes)
  const first = header.readUInt8(idBytes)
  const sizeBytes = countVintBytes(first)
  if (sizeBytes > 8) return null
  const mask = 0xff >> sizeBytes
  const rest = header.subarray(idBytes + 1, idBytes + sizeBytes)
  const size = rest.reduce((sum, byte) => sum * 256 + byte, first & mask)
  const isUnknown = (first & mask) === mask && rest.every((byte) => byte === 0xff)
  const body = offset + idBytes + sizeBytes
  return {
    end: isUnknown ? end : body + size,
    childrenOffset: ebmlContainers.has(id) ? body : null,
    audioOffset: id === cluster ? offset : null,
    isLast: false,
  }
}
