import { open } from 'node:fs/promises'

// The chunks that hold the samples in WAV and in AIFF.
const soundChunks = new Set(['data', 'SSND'])
// What a recorder leaves that could not go back to write the length: the sound then ends with the file.
const unknownSizes = new Set([0, 0xffff_ffff])
const mostChunks = 10_000

/** Whether a WAV or AIFF file ends before its sound does: parsers quietly take what is there. */
export const endsInsideSound = async (path: string) => {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const header = Buffer.alloc(12)
    await file.read(header, 0, 12, 0)
    const isBigEndian = header.toString('latin1', 0, 4) === 'FORM'
    let at = 12
    for (let chunk = 0; chunk < mostChunks && at + 8 <= size; chunk++) {
      await file.read(header, 0, 8, at)
      const length = isBigEndian ? header.readUInt32BE(4) : header.readUInt32LE(4)
      if (soundChunks.has(header.toString('latin1', 0, 4)))
        return !unknownSizes.has(length) && at + 8 + length > size
      at += 8 + length + (length % 2)
    }
    return false
  } finally {
    await file.close()
  }
}
