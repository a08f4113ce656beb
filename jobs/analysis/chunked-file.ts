import { open } from 'node:fs/promises'

/** Where the samples of a WAV or AIFF file are. */
interface SoundChunk {
  readonly start: number
  /** Null where a recorder could not go back to write it: the sound then ends with the file. */
  readonly size: number | null
  readonly fileSize: number
}

const soundChunks = new Set(['data', 'SSND'])
const unknownSizes = new Set([0, 0xffff_ffff])
const mostChunks = 10_000

const knownSize = (size: number) => (unknownSizes.has(size) ? null : size)

/** The chunk of the samples, by its header; null where there is none. */
export const findAudioData = async (path: string): Promise<SoundChunk | null> => {
  const file = await open(path)
  try {
    const { size: fileSize } = await file.stat()
    const header = Buffer.alloc(24)
    await file.read(header, 0, 12, 0)
    const isBigEndian = header.toString('latin1', 0, 4) === 'FORM'
    let wideSize: number | null = null
    let at = 12
    for (let chunk = 0; chunk < mostChunks && at + 8 <= fileSize; chunk++) {
      await file.read(header, 0, 24, at)
      const id = header.toString('latin1', 0, 4)
      const length = isBigEndian ? header.readUInt32BE(4) : header.readUInt32LE(4)
      if (soundChunks.has(id)) return { start: at + 8, size: knownSize(length) ?? wideSize, fileSize }
      // EBU Tech 3306 section 3.3: after the size of the whole file that of its samples, for which 32 bits are too few.
      if (id === 'ds64') wideSize = knownSize(Number(header.readBigUInt64LE(16)))
      at += 8 + length + (length % 2)
    }
    return null
  } finally {
    await file.close()
  }
}

/** Whether a WAV or AIFF file ends before its sound does: parsers quietly take what is there. */
export const isAudioDataTruncated = async (path: string) => {
  const sound = await findAudioData(path)
  return sound !== null && sound.size !== null && sound.start + sound.size > sound.fileSize
}
