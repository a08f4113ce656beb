import { createReadStream } from 'node:fs'
import { findAudioData } from './chunked-file.ts'

const chunkBytes = 65_536

const toUInt32Bytes = (size: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(Math.min(size, 0xffff_ffff))
  return bytes
}

/**
 * Reads an RF64 or BW64 file (EBU Tech 3306, ITU-R BS.2088) as a WAV file, for parsers that only support WAV. The
 * formats differ in their signature and in the position of the audio size. A size above 32 bits means up to the end
 * of the file.
 */
export async function* readAsPlainWav(path: string): AsyncGenerator<Uint8Array> {
  const audio = await findAudioData(path)
  const changes = [{ at: 0, bytes: Buffer.from('RIFF') }]
  if (audio?.size) changes.push({ at: audio.start - 4, bytes: toUInt32Bytes(audio.size) })
  let position = 0
  for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes })) {
    for (const { at, bytes } of changes)
      for (const [index, byte] of bytes.entries()) {
        const offset = at + index - position
        if (offset >= 0 && offset < chunk.length) chunk[offset] = byte
      }
    yield chunk
    position += chunk.length
  }
}
