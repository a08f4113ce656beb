import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

interface Box {
  readonly type: string
  readonly start: number
  readonly size: number
}

const chunkBytes = 65_536
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

const findIndex = async (file: FileHandle) => {
  const { size: fileSize } = await file.stat()
  let audioSeen = false
  for (let at = 0; at < fileSize; ) {
    const box = await readBox(file, at, fileSize)
    if (!box) return null
    if (box.type === 'moov') return audioSeen ? box : null
    audioSeen ||= box.type === 'mdat'
    at += box.size
  }
  return null
}

const containers = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl'])

// The tables name places in the file, all of which lie further back once the index stands in front.
const shiftOffsets = (index: Buffer, start: number, end: number, by: number) => {
  for (let at = start; at + 8 <= end; ) {
    const size = index.readUInt32BE(at)
    if (size < 8 || at + size > end) return
    const type = index.toString('latin1', at + 4, at + 8)
    if (containers.has(type)) shiftOffsets(index, at + 8, at + size, by)
    const width = type === 'stco' ? 4 : type === 'co64' ? 8 : 0
    if (width > 0) {
      const count = Math.min(index.readUInt32BE(at + 12), Math.floor((size - 16) / width))
      for (let entry = 0; entry < count; entry++) {
        const place = at + 16 + entry * width
        if (width === 4) index.writeUInt32BE((index.readUInt32BE(place) + by) >>> 0, place)
        else index.writeBigUInt64BE(index.readBigUInt64BE(place) + BigInt(by), place)
      }
    }
    at += size
  }
}

const indexOf = async (path: string) => {
  const file = await open(path)
  try {
    const box = await findIndex(file)
    if (!box || box.size > maxIndexBytes) return null
    const index = Buffer.alloc(box.size)
    await file.read(index, 0, box.size, box.start)
    shiftOffsets(index, 0, index.length, index.length)
    return index
  } finally {
    await file.close()
  }
}

/**
 * The bytes of an MP4 file for a decoder that reads from front to back: where the index stands behind the audio, as
 * most encoders leave it, a copy of it is put in front, so that the audio need not be kept until it comes.
 */
export async function* readIndexFirst(path: string): AsyncGenerator<Uint8Array> {
  const index = await indexOf(path)
  if (index) yield index
  yield* createReadStream(path, { highWaterMark: chunkBytes })
}
