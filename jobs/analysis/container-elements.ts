import type { FileWindow } from './file-window.ts'

/** A box, chunk, block or EBML element of a container. */
interface Element {
  readonly end: number
  /** Where the elements inside of it begin; null where it has none that are looked into. */
  readonly childrenAt: number | null
  /** Where the sound begins, if this element tells. */
  readonly soundAt: number | null
  readonly isLast: boolean
}

/** Reads the element at a place whose parent ends at `end`; null where none can be read. */
export type ReadElement = (file: FileWindow, at: number, end: number) => Element | null

const mp4Containers = new Set('moov trak mdia minf stbl udta edts dinf meta ilst moof traf mvex'.split(' '))

/** ISO/IEC 14496-12 section 4.2: the size counts the header; 1: it follows in 64 bits; 0: the file ends the box. */
export const readBox: ReadElement = (file, at, end) => {
  const header = file.headerAt(at, 16)
  const id = header.toString('latin1', 4, 8)
  const short = header.readUInt32BE(0)
  const size = short === 1 ? Number(header.readBigUInt64BE(8)) : short === 0 ? end - at : short
  if (size < 8) return null
  const headerBytes = (short === 1 ? 16 : 8) + (id === 'meta' ? 4 : 0)
  const childrenAt = mp4Containers.has(id) ? at + headerBytes : null
  return { end: at + size, childrenAt, soundAt: null, isLast: false }
}

const soundChunks = new Set(['data', 'SSND'])

const readChunk =
  (isBigEndian: boolean): ReadElement =>
  (file, at) => {
    const header = file.headerAt(at, 8)
    const id = header.toString('latin1', 0, 4)
    // What fills up a file at its end is no chunk.
    if (id === '\0\0\0\0') return null
    const size = isBigEndian ? header.readUInt32BE(4) : header.readUInt32LE(4)
    return {
      end: at + 8 + size + (size % 2),
      childrenAt: id === 'LIST' ? at + 12 : null,
      soundAt: soundChunks.has(id) ? at + 8 : null,
      isLast: false,
    }
  }

export const readRiffChunk = readChunk(false)
export const readAiffChunk = readChunk(true)

/** RFC 9639 section 8.1: a bit of the header says that a metadata block is the last one before the frames. */
export const readFlacBlock: ReadElement = (file, at) => {
  const header = file.headerAt(at, 4)
  const isLast = (header.readUInt8(0) & 0x80) !== 0
  const end = at + 4 + header.readUIntBE(1, 3)
  return { end, childrenAt: null, soundAt: isLast ? end : null, isLast }
}

// Segment, SeekHead, Seek, Info, Tracks, TrackEntry, Chapters, EditionEntry, ChapterAtom, Tags, Tag, SimpleTag,
// Attachments and AttachedFile. A cluster is skipped by those who read tags, and cues are as well.
const ebmlContainers = new Set(
  '18538067 114d9b74 4dbb 1549a966 1654ae6b ae 1043a770 45b9 b6 1254c367 7373 67c8 1941a469 61a7'.split(' '),
)
const cluster = '1f43b675'

// RFC 8794 section 4: as many bits as stand before the first that is set, and one, tell how long a number is in bytes.
const lengthOfNumber = (first: number) => Math.clz32(first) - 23

/** RFC 8794 section 5: an id, a size, the content; a size of nothing but ones is unknown. */
export const readEbmlElement: ReadElement = (file, at, end) => {
  const header = file.headerAt(at, 12)
  const idBytes = lengthOfNumber(header.readUInt8(0))
  if (idBytes > 4) return null
  const id = header.toString('hex', 0, idBytes)
  const first = header.readUInt8(idBytes)
  const sizeBytes = lengthOfNumber(first)
  if (sizeBytes > 8) return null
  const mask = 0xff >> sizeBytes
  const rest = header.subarray(idBytes + 1, idBytes + sizeBytes)
  const size = rest.reduce((sum, byte) => sum * 256 + byte, first & mask)
  const isUnknown = (first & mask) === mask && rest.every((byte) => byte === 0xff)
  const body = at + idBytes + sizeBytes
  return {
    end: isUnknown ? end : body + size,
    childrenAt: ebmlContainers.has(id) ? body : null,
    soundAt: id === cluster ? at : null,
    isLast: false,
  }
}
