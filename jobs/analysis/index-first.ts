import { type FileHandle, open } from 'node:fs/promises'
import { LimitExceeded } from './limit-exceeded.ts'

interface Box {
  readonly type: string
  readonly start: number
  readonly size: number
}

// Tables of a day of audio fit; anything larger is not an index but an attack.
const maxIndexBytes = 64 * 1024 * 1024

// ISO/IEC 14496-12 section 4.2: the size counts the header, 1 says that it follows in 64 bits, 0 that the file ends it.
const readBox = async (file: FileHandle, start: number, fileSize: number): Promise<Box | null> => {
  const header = Buffer.alloc(16)
  const { bytesRead } = await file.read(header, 0, 16, start)
  if (bytesRead < 8) return null
  const short = header.readUInt32BE(0)
  const size = short === 1 ? Number(header.readBigUInt64BE(8)) : short === 0 ? fileSize - start : short
  return size < 8 ? null : { type: header.toString('latin1', 4, 8), start, size }
}

/** The index of the file, and whether audio stands in front of it. */
const findIndex = async (file: FileHandle) => {
  const { size: fileSize } = await file.stat()
  let isBehindAudio = false
  for (let at = 0; at < fileSize; ) {
    const box = await readBox(file, at, fileSize)
    if (!box) return null
    if (box.type === 'moov') return box.start + box.size > fileSize ? null : { ...box, isBehindAudio }
    isBehindAudio ||= box.type === 'mdat'
    at += box.size
  }
  return null
}

const containers = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl'])

const forEachBox = (
  index: Buffer,
  start: number,
  end: number,
  visit: (type: string, at: number, size: number) => void,
) => {
  for (let at = start; at + 8 <= end; ) {
    const size = index.readUInt32BE(at)
    if (size < 8 || at + size > end) return
    const type = index.toString('latin1', at + 4, at + 8)
    if (containers.has(type)) forEachBox(index, at + 8, at + size, visit)
    visit(type, at, size)
    at += size
  }
}

// The tables name places in the file, all of which lie further back once the index stands in front.
const shiftOffsets = (index: Buffer, by: number) =>
  forEachBox(index, 0, index.length, (type, at, size) => {
    const width = type === 'stco' ? 4 : type === 'co64' ? 8 : 0
    if (width === 0 || size < 16) return
    const count = Math.min(index.readUInt32BE(at + 12), Math.floor((size - 16) / width))
    for (let entry = 0; entry < count; entry++) {
      const place = at + 16 + entry * width
      if (width === 4) index.writeUInt32BE((index.readUInt32BE(place) + by) >>> 0, place)
      else index.writeBigUInt64BE(index.readBigUInt64BE(place) + BigInt(by), place)
    }
  })

// A decoder makes a list of as many samples as the index says there are.
const requireSamplesInFile = (index: Buffer, fileSize: number) =>
  forEachBox(index, 0, index.length, (type, at, size) => {
    if (type === 'stsz' && size >= 20 && index.readUInt32BE(at + 16) > fileSize)
      throw new Error('the file has more samples than bytes')
  })

const readRange = async (file: FileHandle, start: number, length: number) => {
  if (length > maxIndexBytes) throw new LimitExceeded('the index of the file is too large')
  const bytes = Buffer.alloc(length)
  await file.read(bytes, 0, length, start)
  return bytes
}

/**
 * What a decoder that reads an MP4 file from front to back must get in one piece before any audio, for it copies and
 * parses all it has got until the index is there; and the place from which it then reads on. Where the index stands
 * behind the audio, as most encoders leave it, a copy of it comes first, so that the audio need not be kept until then.
 */
export const readMp4Head = async (path: string) => {
  const file = await open(path)
  try {
    const index = await findIndex(file)
    if (!index) throw new Error('the file has no index')
    const indexEnd = index.start + index.size
    const start = index.isBehindAudio ? index.start : 0
    const head = await readRange(file, start, indexEnd - start)
    requireSamplesInFile(head, (await file.stat()).size)
    if (!index.isBehindAudio) return { head, readOnFrom: indexEnd }
    shiftOffsets(head, head.length)
    return { head, readOnFrom: 0 }
  } finally {
    await file.close()
  }
}
