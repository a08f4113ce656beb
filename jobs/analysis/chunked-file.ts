import { open } from 'node:fs/promises'

/** The position of the samples in a WAV or AIFF file. */
interface AudioChunk {
  readonly start: number
  /** Null when the recorder never wrote the size: the audio then extends to the end of the file. */
  readonly size: number | null
  readonly fileSize: number
}

const audioChunkIds = new Set(['data', 'SSND'])
const unnullIfUnknowns = new Set([0, 0xffff_ffff])
const maxChunks = 10_000

const nullIfUnknown = (size: number) => (unnullIfUnknowns.has(size) ? null : size)

/** Finds the chunk with the samples by its header. Returns null if there is none. */
export const findAudioData = async (path: string): Promise<AudioChunk | null> => {
  const file = await open(path)
  try {
    const { size: fileSize } = await file.stat()
    const header = Buffer.alloc(24)
    await file.read(header, 0, 12, 0)
    const isBigEndian = header.toString('latin1', 0, 4) === 'FORM'
    let wideSize: number | null = null
    let offset = 12
    for (let chunk = 0; chunk < maxChunks && offset + 8 <= fileSize; chunk++) {
      await file.read(header, 0, 24, offset)
      const id = header.toString('latin1', 0, 4)
      const length = isBigEndian ? header.readUInt32BE(4) : header.readUInt32LE(4)
      if (audioChunkIds.has(id))
        return { start: offset + 8, size: nullIfUnknown(length) ?? wideSize, fileSize }
      // EBU Tech 3306 section 3.3: the file size is followed by the size of the samples, both in 64 bits.
      if (id === 'ds64') wideSize = nullIfUnknown(Number(header.readBigUInt64LE(16)))
      offset += 8 + length + (length % 2)
    }
    return null
  } finally {
    await file.close()
  }
}

/** Whether a WAV or AIFF file ends before its declared audio does, which parsers accept silently. */
export const isAudioDataTruncated = async (path: string) => {
  const audio = await findAudioData(path)
  return audio !== null && audio.size !== null && audio.start + audio.size > audio.fileSize
}
