import { LimitExceededError } from './analysis-limits.ts'
import { createPeakMeter, type Waveform } from './peaks.ts'
import { rethrowSystemError } from './system-error.ts'

export interface AudioBlock {
  readonly channelData: readonly Float32Array[]
  readonly sampleRate: number
}

export type DecodedAudio =
  | { readonly frames: number; readonly sampleRate: number; readonly waveform: Waveform }
  | 'empty'
  | 'too long'
  | 'corrupt'
  | 'undecodable'

export const maxChannels = 8
const maxDurationS = 24 * 3600
const maxSampleRate = 1_000_000
// Silence takes the fewest bytes: a constant FLAC frame encodes 65,535 samples in 14 bytes, and an Opus packet encodes
// 120 ms in 3 bytes. A file with more samples per byte is invalid or a decompression bomb.
const maxSamplesPerByte = 8192

export const isPlausibleSampleRate = (sampleRate: number) => sampleRate >= 1 && sampleRate <= maxSampleRate

export class TooLongError extends Error {
  override name = 'TooLongError'
}

export const requireWithinLimits = (frames: number, sampleRate: number, fileSize: number) => {
  if (frames > maxDurationS * sampleRate) throw new TooLongError()
  if (frames > maxSamplesPerByte * fileSize)
    throw new LimitExceededError('the file has more samples than its size allows')
}

const measure = async (blocks: AsyncIterable<AudioBlock>, fileSize: number): Promise<DecodedAudio> => {
  let meter: ReturnType<typeof createPeakMeter> | undefined
  let sampleRate = 0
  for await (const block of blocks) {
    const channels = block.channelData.length
    if (!block.channelData[0]?.length) continue
    if (channels > maxChannels) return 'undecodable'
    meter ??= createPeakMeter(channels)
    sampleRate ||= block.sampleRate
    if (!isPlausibleSampleRate(sampleRate)) throw new Error('the sample rate is out of range')
    meter.add(block.channelData)
    requireWithinLimits(meter.frames(), sampleRate, fileSize)
  }
  if (!meter) return 'empty'
  return { frames: meter.frames(), sampleRate, waveform: meter.waveform(Math.round(sampleRate)) }
}

/**
 * Measures a decoder's blocks. Throws system errors, and `LimitExceededError` if a file has more samples than its size
 * allows. Any other error of the decoder becomes a result, because the file causes it.
 */
export const measureBlocks = (blocks: AsyncIterable<AudioBlock>, fileSize: number): Promise<DecodedAudio> =>
  measure(blocks, fileSize).catch((error) => {
    if (error instanceof LimitExceededError) throw error
    rethrowSystemError(error)
    if (error instanceof TooLongError) return 'too long'
    return error instanceof Error && /unsupported/i.test(error.message) ? 'undecodable' : 'corrupt'
  })
