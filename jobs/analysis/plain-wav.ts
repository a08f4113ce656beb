import { createReadStream } from 'node:fs'
import { findAudioData } from './chunked-file.ts'

const chunkBytes = 65_536

const inFourBytes = (size: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(Math.min(size, 0xffff_ffff))
  return bytes
}

/**
 * The bytes of an RF64 or BW64 file (EBU Tech 3306, ITU-R BS.2088) as those of a WAV, for readers that know no other:
 * the two differ in their mark and in where they say how long the sound is. What needs more than 32 bits for that
 * is read to its end.
 */
export async function* readAsPlainWav(path: string): AsyncGenerator<Uint8Array> {
  const sound = await findAudioData(path)
  const changes = [{ at: 0, bytes: Buffer.from('RIFF') }]
  if (sound?.size) changes.push({ at: sound.start - 4, bytes: inFourBytes(sound.size) })
  let position = 0
  for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes })) {
    for (const { at, bytes } of changes)
      for (const [index, byte] of bytes.entries()) {
        const place = at + index - position
        if (place >= 0 && place < chunk.length) chunk[place] = byte
      }
    yield chunk
    position += chunk.length
  }
}
