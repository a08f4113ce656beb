import type { Bytes } from './audio-files.ts'

const crc = (bytes: readonly number[], width: 8 | 16, polynomial: number) => {
  const [top, mask] = [1 << (width - 1), (1 << width) - 1]
  let value = 0
  for (const byte of bytes) {
    value ^= byte << (width - 8)
    for (let bit = 0; bit < 8; bit++)
      value = value & top ? ((value << 1) ^ polynomial) & mask : (value << 1) & mask
  }
  return value
}

// FLAC encodes frame numbers like UTF-8.
const codedNumber = (number: number) => [...Buffer.from(String.fromCodePoint(number))]

interface FlacOptions {
  readonly frames: number
  readonly blockSize?: number
  readonly channels?: number
  readonly bits?: 8 | 16
  /** The number of samples in the file's header. */
  readonly declaredSamples?: number
}

/** FLAC silence. Each channel of a frame is one constant, so 65,535 samples take as few as 11 bytes. */
export const constantFlac = (options: FlacOptions): Bytes => {
  const { frames, blockSize = 65_535, channels = 2, bits = 16 } = options
  const { declaredSamples = frames * blockSize } = options
  const info = Buffer.alloc(42)
  info.write('fLaC')
  info.writeUInt32BE(0x8000_0022, 4)
  info.writeUInt16BE(blockSize, 8)
  info.writeUInt16BE(blockSize, 10)
  info.writeBigUInt64BE(
    (44_100n << 44n) | (BigInt(channels - 1) << 41n) | (BigInt(bits - 1) << 36n) | BigInt(declaredSamples),
    18,
  )
  const parts = [info]
  for (let frame = 0; frame < frames; frame++) {
    const codes = [0xff, 0xf8, 0x79, ((channels - 1) << 4) | ((bits === 8 ? 1 : 4) << 1)]
    const header = [...codes, ...codedNumber(frame), (blockSize - 1) >> 8, (blockSize - 1) & 0xff]
    const subframes = Array.from({ length: channels * (1 + bits / 8) }, () => 0)
    const bytes = [...header, crc(header, 8, 0x07), ...subframes]
    const check = crc(bytes, 16, 0x8005)
    parts.push(Buffer.from([...bytes, check >> 8, check & 0xff]))
  }
  return new Uint8Array(Buffer.concat(parts))
}
