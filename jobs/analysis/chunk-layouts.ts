import { LimitExceededError } from './analysis-limits.ts'
import type { FileWindow } from './file-window.ts'

interface ChunkHeader {
  readonly id: string
  readonly size: number
}

export interface ChunkLayout {
  readonly format: 'wave' | 'aiff'
  readonly isBigEndian: boolean
  readonly headerBytes: number
  /** Each chunk's offset from the start of the container is a multiple of this. */
  readonly alignment: number
  readonly readHeader: (header: Buffer) => ChunkHeader
}

interface Container {
  readonly layout: ChunkLayout
  /** Other data, such as an ID3 tag, may precede the container. */
  readonly start: number
  readonly firstChunk: number
}

const idOf = (header: Buffer) => header.toString('latin1', 0, 4)

const riff: ChunkLayout = {
  format: 'wave',
  isBigEndian: false,
  headerBytes: 8,
  alignment: 2,
  readHeader: (header) => ({ id: idOf(header), size: header.readUInt32LE(4) }),
}
const rifx: ChunkLayout = {
  ...riff,
  isBigEndian: true,
  readHeader: (header) => ({ id: idOf(header), size: header.readUInt32BE(4) }),
}
const aiff: ChunkLayout = { ...rifx, format: 'aiff' }

// Sony Wave64: a chunk begins with a GUID and a 64-bit size that includes this header. The GUIDs begin with WAV's ids
// in lower case.
const w64HeaderBytes = 24
const w64: ChunkLayout = {
  ...riff,
  headerBytes: w64HeaderBytes,
  alignment: 8,
  readHeader: (header) => ({ id: idOf(header), size: Number(header.readBigUInt64LE(16)) - w64HeaderBytes }),
}

const layouts: readonly (readonly [signature: RegExp, layout: ChunkLayout, firstChunk: number])[] = [
  [/^(?:RIFF|RF64|BW64).{4}WAVE/s, riff, 12],
  [/^RIFX.{4}WAVE/s, rifx, 12],
  [/^FORM.{4}AIF[FC]/s, aiff, 12],
  [/^riff.{20}wave/s, w64, 40],
]

const longestSignature = 32

export const findContainer = (file: FileWindow, start: number): Container | null => {
  const header = file.readHeader(start, longestSignature).toString('latin1')
  const [, layout, bytes] = layouts.find(([signature]) => signature.test(header)) ?? []
  return layout && bytes ? { layout, start, firstChunk: start + bytes } : null
}

export interface Chunk {
  readonly id: string
  readonly start: number
  readonly size: number
}

/** Whether a chunk contains samples. The size of such a chunk is often wrong. */
export const isSoundChunk = (id: string) => id === 'data' || id === 'SSND'

const maxChunks = 100_000
const knownIds = new Set(['fmt ', 'data', 'fact', 'LIST', 'bext', 'iXML', 'id3 ', 'COMM', 'SSND', 'ID3 '])
// how far a chunk may start from where the previous one should end
const maxShift = 16
// how many headers in a row prove that these are chunks
const chainLength = 3

export const openChunks = (file: FileWindow, layout: ChunkLayout, containerStart: number) => {
  const { headerBytes, alignment } = layout

  const read = (offset: number): Chunk | null => {
    if (offset + headerBytes > file.fileSize) return null
    const { id, size } = layout.readHeader(file.readHeader(offset, headerBytes))
    const start = offset + headerBytes
    if (!/^[ -~]{4}$/.test(id) || size < 0) return null
    return isSoundChunk(id) || start + size <= file.fileSize + maxShift ? { id, start, size } : null
  }

  const align = (offset: number) =>
    containerStart + Math.ceil((offset - containerStart) / alignment) * alignment
  const isKnown = (offset: number) => knownIds.has(read(offset)?.id ?? '')

  // Some writers leave out the byte that pads a chunk of odd size.
  const listNextOffsets = (end: number) => [...new Set([align(end), end])]

  const isEnd = (offset: number) => offset >= file.fileSize && offset < file.fileSize + alignment

  const isChain = (offset: number, remaining = chainLength): boolean => {
    if (remaining === 0 || isEnd(offset)) return true
    const chunk = read(offset)
    if (!chunk) return false
    if (isSoundChunk(chunk.id)) return true
    return listNextOffsets(chunk.start + chunk.size).some((next) => isChain(next, remaining - 1))
  }

  const listNearbyOffsets = (start: number, end: number) =>
    Array.from({ length: 2 * maxShift }, (_, index) => end - maxShift + index).filter(
      (offset) => offset >= start,
    )

  const findNext = (start: number, end: number): number | null => {
    if (isEnd(end)) return null
    const offsets = listNextOffsets(end)
    return (
      offsets.find(isKnown) ??
      offsets.find((offset) => read(offset) !== null && isChain(offset)) ??
      listNearbyOffsets(start, end).find(isKnown) ??
      offsets.find((offset) => read(offset) !== null) ??
      null
    )
  }

  let count = 0
  return {
    read(offset: number) {
      count += 1
      if (count > maxChunks) throw new LimitExceededError(`the container has more than ${maxChunks} chunks`)
      return read(offset)
    },
    findNext,
    isChain,
  }
}
