import type { AudioBlock } from './measure-blocks.ts'
import { maxChannels } from './measure-blocks.ts'

// magic number, offset of the samples, their size in bytes, encoding, sample rate, channels
const headerBytes = 24
const magic = 0x2e73_6e64
const float32Encoding = 6
const maxOffset = 65_536
const sampleBytes = 4

interface AuHeader {
  readonly offset: number
  readonly sampleRate: number
  readonly channels: number
}

const readHeader = (bytes: Buffer): AuHeader => {
  const [offset, encoding] = [bytes.readUInt32BE(4), bytes.readUInt32BE(12)]
  if (bytes.readUInt32BE(0) !== magic || encoding !== float32Encoding || offset > maxOffset)
    throw new Error('the stream is not an AU stream of 32-bit floats')
  const channels = bytes.readUInt32BE(20)
  if (channels < 1 || channels > maxChannels) throw new Error('unsupported number of channels')
  return { offset, sampleRate: bytes.readUInt32BE(16), channels }
}

const separateChannels = (bytes: Buffer, { channels, sampleRate }: AuHeader): AudioBlock => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const frameBytes = channels * sampleBytes
  const frames = Math.floor(bytes.length / frameBytes)
  const channelData = Array.from({ length: channels }, (_, channel) => {
    const samples = new Float32Array(frames)
    for (let frame = 0, at = channel * sampleBytes; frame < frames; frame++, at += frameBytes)
      samples[frame] = view.getFloat32(at)
    return samples
  })
  return { channelData, sampleRate }
}

/** A stream that ends within its header has no blocks. */
export async function* readAuBlocks(stream: AsyncIterable<Buffer>): AsyncGenerator<AudioBlock> {
  let header: AuHeader | undefined
  let pending: Buffer = Buffer.alloc(0)
  for await (const chunk of stream) {
    const bytes: Buffer = pending.length > 0 ? Buffer.concat([pending, chunk]) : chunk
    pending = bytes
    if (!header) {
      if (bytes.length < headerBytes) continue
      const { offset } = readHeader(bytes)
      if (bytes.length < offset) continue
      header = readHeader(bytes)
      pending = bytes.subarray(offset)
    }
    const wholeBytes = pending.length - (pending.length % (header.channels * sampleBytes))
    yield separateChannels(pending.subarray(0, wholeBytes), header)
    pending = pending.subarray(wholeBytes)
  }
}
