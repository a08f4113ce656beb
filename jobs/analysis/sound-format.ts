/** The names are ffmpeg's. */
export type PcmEncoding =
  | 'u8'
  | 's8'
  | 'alaw'
  | 'mulaw'
  | `s${16 | 24 | 32}${'le' | 'be'}`
  | `f${32 | 64}${'le' | 'be'}`

export interface SoundFormat {
  readonly channels: number
  /** Frames per second. AIFF allows fractions. */
  readonly sampleRate: number
  readonly pcm: PcmEncoding | null
  /** WAV's format tag or AIFF-C's compression type. */
  readonly codec: number | string
  readonly blockBytes: number
  readonly bytesPerSecond: number | null
  readonly declaredFrames: number | null
}

export const minFormatBytes = { wave: 16, aiff: 18 } as const
export const maxFormatBytes = 1024

const wavePcm = 1
const waveFloat = 3
const waveALaw = 6
const waveMuLaw = 7
const waveExtensible = 0xfffe

const sampleBytes = (pcm: PcmEncoding) => Number(/\d+/.exec(pcm)?.[0] ?? 8) / 8

const integerEncoding = (bytes: number, order: 'le' | 'be', eightBits: 'u8' | 's8'): PcmEncoding | null =>
  ([eightBits, `s16${order}`, `s24${order}`, `s32${order}`] as const)[bytes - 1] ?? null

const floatEncoding = (bits: number, order: 'le' | 'be'): PcmEncoding | null =>
  bits === 32 || bits === 64 ? `f${bits}${order}` : null

const describeFormat = (
  pcm: PcmEncoding | null,
  format: Pick<SoundFormat, 'channels' | 'sampleRate' | 'codec' | 'declaredFrames'>,
  compressed: Pick<SoundFormat, 'blockBytes' | 'bytesPerSecond'>,
): SoundFormat => {
  if (!pcm) return { ...format, pcm, ...compressed }
  const blockBytes = format.channels * sampleBytes(pcm)
  return { ...format, pcm, blockBytes, bytesPerSecond: blockBytes * format.sampleRate }
}

export const readWaveFormat = (bytes: Buffer, isBigEndian: boolean): SoundFormat => {
  const uint16 = (at: number) => (isBigEndian ? bytes.readUInt16BE(at) : bytes.readUInt16LE(at))
  const uint32 = (at: number) => (isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at))
  const [channels, sampleRate, blockBytes, bits] = [uint16(2), uint32(4), uint16(12), uint16(14)]
  const tag = uint16(0)
  // The first 32 bits of the codec's GUID are its format tag.
  const codec = tag === waveExtensible && bytes.length >= 28 ? uint32(24) : tag
  const order = isBigEndian ? 'be' : 'le'
  const chooseEncoding = () => {
    switch (codec) {
      case wavePcm: {
        // Some recorders store 24-bit samples in four bytes.
        const isWide = bits > 16 && bits <= 24 && blockBytes === channels * 4
        return integerEncoding(isWide ? 4 : Math.ceil(bits / 8), order, 'u8')
      }
      case waveFloat:
        return floatEncoding(bits, order)
      case waveALaw:
        return 'alaw'
      case waveMuLaw:
        return 'mulaw'
      default:
        return null
    }
  }
  const compressed = { blockBytes, bytesPerSecond: uint32(8) || null }
  return describeFormat(chooseEncoding(), { channels, sampleRate, codec, declaredFrames: null }, compressed)
}

// the exponent, then 64 bits of mantissa with an explicit leading bit
const readFloat80 = (bytes: Buffer, at: number) => {
  const exponent = bytes.readUInt16BE(at)
  if (exponent >= 0x7fff) return Number.NaN
  return Number(bytes.readBigUInt64BE(at + 2)) * 2 ** (exponent - 16_383 - 63)
}

// AIFF-C does not state the size of a compressed packet.
const aiffPackets: Readonly<Record<string, readonly [bytes: number, frames: number]>> = {
  ima4: [34, 64],
  'gsm ': [33, 160],
}

const aiffEncodings: Readonly<Record<string, PcmEncoding>> = {
  in24: 's24be',
  in32: 's32be',
  '42ni': 's24le',
  '23ni': 's32le',
  fl32: 'f32be',
  fl64: 'f64be',
  alaw: 'alaw',
  ulaw: 'mulaw',
}

const chooseAiffEncoding = (compression: string, bits: number): PcmEncoding | null => {
  const bytes = Math.ceil(bits / 8)
  if (compression === 'none' || compression === 'twos') return integerEncoding(bytes, 'be', 's8')
  if (compression === 'sowt') return integerEncoding(bytes, 'le', 's8')
  if (compression === 'raw ') return bytes === 1 ? 'u8' : null
  return aiffEncodings[compression] ?? null
}

export const readAiffFormat = (bytes: Buffer): SoundFormat => {
  const [channels, frames, bits, sampleRate] = [
    bytes.readUInt16BE(0),
    bytes.readUInt32BE(2),
    bytes.readUInt16BE(6),
    readFloat80(bytes, 8),
  ]
  // Plain AIFF has no compression type. AIFF-C's types occur in both upper and lower case.
  const codec = bytes.length >= 22 ? bytes.toString('latin1', 18, 22).toLowerCase() : 'none'
  const [packetBytes, packetFrames] = aiffPackets[codec] ?? []
  const blockBytes = (packetBytes ?? 0) * channels
  const bytesPerSecond = packetFrames === undefined ? null : (blockBytes * sampleRate) / packetFrames
  const declaredFrames = frames === 0 || frames === 0xffff_ffff ? null : frames
  const format = { channels, sampleRate, codec, declaredFrames }
  return describeFormat(chooseAiffEncoding(codec, bits), format, { blockBytes, bytesPerSecond })
}
