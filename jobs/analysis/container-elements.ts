import type { MediaFamily } from '#contracts/shared/audio-formats.ts'
import { LimitExceededError } from './analysis-limits.ts'
import type { FileWindow } from './file-window.ts'
import { findId3End } from './id3.ts'

interface Element {
  readonly end: number
  readonly childrenOffset: number | null
  readonly isLast: boolean
}

type ReadElement = (file: FileWindow, offset: number, end: number) => Element | null

const mp4Containers = new Set('moov trak mdia minf stbl udta edts dinf meta ilst moof traf mvex'.split(' '))

/**
 * ISO/IEC 14496-12, section 4.2: the size includes the header; 1 means a 64-bit size follows, 0 means up to the end of
 * the file.
 */
export const readBox: ReadElement = (file, offset, end) => {
  const header = file.readHeader(offset, 16)
  const id = header.toString('latin1', 4, 8)
  const short = header.readUInt32BE(0)
  const size = short === 1 ? Number(header.readBigUInt64BE(8)) : short === 0 ? end - offset : short
  if (size < 8) return null
  const headerBytes = (short === 1 ? 16 : 8) + (id === 'meta' ? 4 : 0)
  const childrenOffset = mp4Containers.has(id) ? offset + headerBytes : null
  return { end: offset + size, childrenOffset, isLast: false }
}

/** RFC 9639, section 8.1: a header bit marks the last metadata block before the frames. */
const readFlacBlock: ReadElement = (file, offset) => {
  const header = file.readHeader(offset, 4)
  const isLast = (header.readUInt8(0) & 0x80) !== 0
  const end = offset + 4 + header.readUIntBE(1, 3)
  return { end, childrenOffset: null, isLast }
}

// Segment, SeekHead, Seek, Info, Tracks, TrackEntry, Chapters, EditionEntry, ChapterAtom, Tags, Tag, SimpleTag,
// Attachments and AttachedFile. Tag parsers skip clusters and cues.
const ebmlContainers = new Set(
  '18538067 114d9b74 4dbb 1549a966 1654ae6b ae 1043a770 45b9 b6 1254c367 7373 67c8 1941a469 61a7'.split(' '),
)

// RFC 8794, section 4: a number's length in bytes is its leading zero bits plus one.
const countVintBytes = (first: number) => Math.clz32(first) - 23

interface EbmlHeader {
  readonly id: string
  readonly bodyOffset: number
  /** Null if unknown, as in a recording still being made. */
  readonly size: number | null
}

/** RFC 8794, section 5: id, size, content. A size with all bits set means unknown. */
export const readEbmlHeader = (file: FileWindow, offset: number): EbmlHeader | null => {
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
  return { id, bodyOffset: offset + idBytes + sizeBytes, size: isUnknown ? null : size }
}

const readEbmlElement: ReadElement = (file, offset, end) => {
  const header = readEbmlHeader(file, offset)
  if (!header) return null
  const { id, bodyOffset, size } = header
  return {
    end: size === null ? end : bodyOffset + size,
    childrenOffset: ebmlContainers.has(id) ? bodyOffset : null,
    isLast: false,
  }
}

// The tag parser takes about 30 µs per element, so this many take about three seconds. A 24-hour MP4 file in ten-second
// fragments has 70,000 elements.
const maxElements = 100_000
// Limits recursion. The elements of audio containers are nested fewer than ten levels deep.
const maxDepth = 16
const flacMarkerBytes = 4

/**
 * Where the elements of a family's files start and how to read one. Other families have no element tree (mp3, aac, ogg)
 * or are not parsed by a library (wav, aiff).
 */
const layouts: Readonly<Partial<Record<MediaFamily, readonly [(file: FileWindow) => number, ReadElement]>>> =
  {
    mp4: [() => 0, readBox],
    flac: [(file) => findId3End(file) + flacMarkerBytes, readFlacBlock],
    webm: [() => 0, readEbmlElement],
  }

export const requireFewElements = (file: FileWindow, family: MediaFamily) => {
  const [findStart, read] = layouts[family] ?? []
  let count = 0
  const walk = (start: number, end: number, depth: number) => {
    for (let offset = start; offset < end; ) {
      const element = read?.(file, offset, end)
      if (!element) return
      count += 1
      if (count > maxElements)
        throw new LimitExceededError(`the container has more than ${maxElements} elements`)
      if (element.childrenOffset !== null && depth < maxDepth)
        walk(element.childrenOffset, Math.min(element.end, end), depth + 1)
      if (element.isLast) return
      offset = element.end
    }
  }
  if (findStart) walk(findStart(file), file.fileSize, 0)
}
