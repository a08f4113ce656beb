import type { FileWindow } from './file-window.ts'

interface ChunkHeader {
  /** The first four characters, enough to tell all chunks of interest apart. */
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
