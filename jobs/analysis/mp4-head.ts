import { type FileHandle, open } from 'node:fs/promises'
import { LimitExceededError } from './limit-exceeded-error.ts'

interface Box {
  readonly type: string
  readonly start: number
  readonly size: number
}

// The sample tables of 24 hours of audio fit. Larger indexes are treated as attacks.
const maxIndexBytes = 64 * 1024 * 1024

// ISO/IEC 14496-12 section 4.2: the size includes the header; 1 means a 64-bit size follows, 0 up to the end of the
// file.
const readBox = async (file: FileHandle, start: number, fileSize: number): Promise<Box | null> => {
  const header = Buffer.alloc(16)
  const { bytesRead } = await file.read(header, 0, 16, start)
  if (bytesRead < 8) return null
  const short = header.readUInt32BE(0)
  const size = short === 1 ? Number(header.readBigUInt64BE(8)) : short === 0 ? fileSize - start : short
  return size < 8 ? null : { type: header.toString('latin1', 4, 8), start, size }
}

/** Finds the index of the file (the `moov` box) and whether it follows the audio. */
const findIndex = async (file: FileHandle) => {
  const { size: fileSize } = await file.stat()
  let isBehindAudio = false
  for (let offset = 0; offset < fileSize; ) {
    const box = await readBox(file, offset, fileSize)
    if (!box) return null
    if (box.type === 'moov') return box.start + box.size > fileSize ? null : { ...box, isBehindAudio }
    isBehindAudio ||= box.type === 'mdat'
    offset += box.size
  }
  return null
}

const containers = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl'])

const forEachBox = (
  index: Buffer,
  start: number,
  end: number,
  visit: (type: string, offset: number, size: number) => void,
) => {
  for (let offset = start; offset + 8 <= end; ) {
    const size = index.readUInt32BE(offset)
    if (size < 8 || offset + size > end) return
    const type = index.toString('latin1', offset + 4, offset + 8)
    if (containers.has(type)) forEachBox(index, offset + 8, offset + size, visit)
    visit(type, offset, size)
    offset += size
  }
}

// The tables contain file offsets, which all shift by the size of the index that is moved to the front.
const shiftOffsets = (index: Buffer, by: number) =>
  forEachBox(index, 0, index.length, (type, offset, size) => {
    const width = type === 'stco' ? 4 : type === 'co64' ? 8 : 0
    if (width === 0 || size < 16) return
    const count = Math.min(index.readUInt32BE(offset + 12), Math.floor((size - 16) / width))
    for (let entry = 0; entry < count; entry++) {
      const entryOffset = offset + 16 + entry * width
      if (width === 4) index.writeUInt32BE((index.readUInt32BE(entryOffset) + by) >>> 0, entryOffset)
      else index.writeBigUInt64BE(index.readBigUInt64BE(entryOffset) + BigInt(by), entryOffset)
    }
  })

// The decoder allocates an entry for every sample that the index declares.
const requireSamplesInFile = (index: Buffer, fileSize: number) =>
  forEachBox(index, 0, index.length, (type, offset, size) => {
    if (type === 'stsz' && size >= 20 && index.readUInt32BE(offset + 16) > fileSize)
      throw new Error('the moov box declares more samples than the file has bytes')
  })

const readRange = async (file: FileHandle, start: number, length: number) => {
  if (length > maxIndexBytes) throw new LimitExceededError('the moov box exceeds 64 MiB')
  const bytes = Buffer.alloc(length)
  await file.read(bytes, 0, length, start)
  return bytes
}

/**
 * Returns the bytes of an MP4 file that a sequential decoder must receive in one piece before any audio, and the
 * offset at which it continues. The decoder copies and parses everything it has received until the index is complete.
 * Most encoders write the index after the audio; a copy of it is then placed first, so that the audio need not be
 * buffered.
 */
export const readMp4Head = async (path: string) => {
  const file = await open(path)
  try {
    const index = await findIndex(file)
    if (!index) throw new Error('the MP4 file has no moov box')
    const indexEnd = index.start + index.size
    const start = index.isBehindAudio ? index.start : 0
    const head = await readRange(file, start, indexEnd - start)
    requireSamplesInFile(head, (await file.stat()).size)
    if (!index.isBehindAudio) return { head, continueAt: indexEnd }
    shiftOffsets(head, head.length)
    return { head, continueAt: 0 }
  } finally {
    await file.close()
  }
}
