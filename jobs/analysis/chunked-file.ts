import { type Chunk, type ChunkLayout, findContainer, isSoundChunk, openChunks } from './chunk-layouts.ts'
import type { FileWindow } from './file-window.ts'
import { findId3End } from './id3.ts'
import {
  maxFormatBytes,
  minFormatBytes,
  readAiffFormat,
  readWaveFormat,
  type SoundFormat,
} from './sound-format.ts'

interface ByteRange {
  readonly start: number
  readonly end: number
}

export interface ChunkedSound extends ByteRange {
  readonly format: SoundFormat
  readonly formatBytes: Uint8Array
  /** If the end of the file is missing, this is more than the file contains. */
  readonly declaredBytes: number
}

export interface TagChunk extends ByteRange {
  readonly id: 'id3 ' | 'LIST' | 'CSET'
}

interface ChunkedFile {
  readonly sound: ChunkedSound | null
  readonly tags: readonly TagChunk[]
}

// Recorders write a placeholder first, and the real size only when they stop, if at all. The placeholder is 0, the
// highest 32- or 64-bit number, or 2 GiB minus a page or a few frames (SoX, arecord and others).
const isPlaceholder = (size: number) =>
  size === 0 ||
  (size >= 0x7fff_0000 && size <= 0x8000_0000) ||
  (size >= 0xffff_0000 && size <= 0xffff_ffff) ||
  size >= 2 ** 62

// EBU Tech 3306, section 3.3: 64-bit sizes of the file and its samples
const readDs64 = (file: FileWindow, { start }: Chunk) => Number(file.readHeader(start, 16).readBigUInt64LE(8))

const findSamples = (file: FileWindow, { id, start, size }: Chunk) => {
  if (id !== 'SSND') return { start, size }
  const gap = file.readHeader(start, 4).readUInt32BE(0)
  const chunkEnd = isPlaceholder(size) ? file.fileSize : Math.min(start + size, file.fileSize)
  const offset = start + 8 + gap <= chunkEnd ? 8 + gap : 8
  return { start: start + offset, size: isPlaceholder(size) ? size : Math.max(0, size - offset) }
}

const minListBytes = 12

const readFormat = (file: FileWindow, { format, isBigEndian }: ChunkLayout, { start, size }: Chunk) => {
  if (size < minFormatBytes[format]) return null
  const formatBytes = Uint8Array.from(file.readHeader(start, Math.min(size, maxFormatBytes)))
  const bytes = Buffer.from(formatBytes.buffer)
  return {
    format: format === 'aiff' ? readAiffFormat(bytes) : readWaveFormat(bytes, isBigEndian),
    formatBytes,
  }
}

type Samples = Pick<ChunkedSound, 'start' | 'end' | 'declaredBytes'>

// A chunk may hold more than the frames that AIFF declares.
const limitToDeclaredFrames = (
  samples: Samples,
  { pcm, declaredFrames, blockBytes }: SoundFormat,
): Samples => {
  const bytes = pcm && declaredFrames !== null ? declaredFrames * blockBytes : Number.POSITIVE_INFINITY
  const { start, end, declaredBytes } = samples
  return { start, end: Math.min(end, start + bytes), declaredBytes: Math.min(declaredBytes, bytes) }
}

export const readChunkedFile = (file: FileWindow): ChunkedFile | null => {
  const tagEnd = findId3End(file)
  const container = findContainer(file, tagEnd)
  if (!container) return null
  const { layout, firstChunk } = container
  const chunks = openChunks(file, layout, container.start)
  const tags: TagChunk[] = tagEnd > 0 ? [{ id: 'id3 ', start: 0, end: tagEnd }] : []
  let described: ReturnType<typeof readFormat> = null
  let samples: Samples | null = null
  let wideSize: number | null = null

  // Records where the samples are, and returns the offset of the next chunk; null if nothing follows.
  const readSamples = (chunk: Chunk) => {
    const { start, size } = findSamples(file, chunk)
    const declared = size === 0xffff_ffff ? (wideSize ?? size) : size
    const isEmpty = declared === 0 && start < file.fileSize && chunks.isChain(start)
    const isUnknown =
      !isEmpty && isPlaceholder(declared) && (declared === 0 || start + declared > file.fileSize)
    const declaredBytes = isUnknown ? file.fileSize - start : declared
    const end = start + declaredBytes
    const next = isUnknown ? null : chunks.findNext(start, end)
    // A size that is a few bytes too large includes the start of the next chunk.
    samples ??= { start, end: Math.min(end, next ?? end, file.fileSize), declaredBytes }
    return next
  }

  for (let offset: number | null = firstChunk; offset !== null; ) {
    const chunk = chunks.read(offset)
    if (!chunk) break
    const { id, start } = chunk
    const range = { start, end: Math.min(start + chunk.size, file.fileSize) }
    if (id === 'ds64') wideSize = readDs64(file, chunk)
    else if (id === 'fmt ' || id === 'COMM') described ??= readFormat(file, layout, chunk)
    else if (id === 'id3 ' || id === 'ID3 ') tags.push({ id: 'id3 ', ...range })
    else if (!layout.isBigEndian && (id === 'CSET' || (id === 'LIST' && chunk.size >= minListBytes)))
      tags.push({ id, ...range })
    offset = isSoundChunk(id) ? readSamples(chunk) : chunks.findNext(start, start + chunk.size)
  }
  if (!described || !samples) return { sound: null, tags }
  return { sound: { ...limitToDeclaredFrames(samples, described.format), ...described }, tags }
}

/**
 * Creates a RIFF chunk, or an IFF chunk if big-endian. Its size field also counts the `followingBytes` bytes that the
 * caller appends.
 */
export const createChunk = (
  id: string,
  bytes: Uint8Array,
  isBigEndian = false,
  followingBytes = 0,
): Buffer => {
  const header = Buffer.alloc(8)
  header.write(id, 'latin1')
  const size = Math.min(bytes.length + followingBytes, 0xffff_ffff)
  if (isBigEndian) header.writeUInt32BE(size, 4)
  else header.writeUInt32LE(size, 4)
  return Buffer.concat([header, bytes, Buffer.alloc(bytes.length % 2)])
}

/** AIFF-C for AIFF's formats, WAV for all others. */
export const createHeader = ({ format: { codec }, formatBytes, start, end }: ChunkedSound): Buffer => {
  const size = end - start
  if (typeof codec === 'number') {
    const chunks = [createChunk('fmt ', formatBytes), createChunk('data', Buffer.alloc(0), false, size)]
    return createChunk('RIFF', Buffer.concat([Buffer.from('WAVE'), ...chunks]), false, size)
  }
  const chunks = [createChunk('COMM', formatBytes, true), createChunk('SSND', Buffer.alloc(8), true, size)]
  return createChunk('FORM', Buffer.concat([Buffer.from('AIFC'), ...chunks]), true, size)
}
