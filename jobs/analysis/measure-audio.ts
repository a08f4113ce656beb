import type { IAudioMetadata } from 'music-metadata'
import { decodeFile } from './decode.ts'
import { LimitExceededError } from './limit-exceeded-error.ts'
import type { MediaFamily } from './media-family.ts'
import { createPeakMeter } from './peaks.ts'

export const chunkedFamilies: readonly MediaFamily[] = ['wav', 'rf64', 'aiff']

const maxChannels = 8
const maxDurationS = 24 * 3600
const maxSampleRate = 1_000_000
// Silence has the highest density: a constant FLAC frame encodes 65,535 samples in 14 bytes, and an Opus packet 120
// ms in 3 bytes. A file with more samples per byte is invalid or a decompression bomb.
const maxSamplesPerByte = 8192

/** Whether a declared sample rate is plausible. */
export const isPlausibleSampleRate = (sampleRate: number) => sampleRate > 0 && sampleRate <= maxSampleRate

class UndecodableError extends Error {}
class TooLongError extends Error {}

interface AudioFile {
  readonly path: string
  readonly family: MediaFamily
  readonly fileSize: number
  readonly headBytes: number
}

const requireWithinLimits = (frames: number, sampleRate: number, { fileSize }: AudioFile) => {
  if (frames > maxDurationS * sampleRate) throw new TooLongError()
  if (frames > maxSamplesPerByte * fileSize)
    throw new LimitExceededError('the file has more samples than its size allows')
}

const decodeAndMeasure = async (file: AudioFile, { format }: IAudioMetadata) => {
  let meter: ReturnType<typeof createPeakMeter> | undefined
  let sampleRate = 0
  if ((format.numberOfChannels ?? 1) > maxChannels) throw new UndecodableError()
  for await (const block of decodeFile(file.path, file.family, format.codec ?? '', file.headBytes)) {
    // A decoder may return one channel when both are equal; the header has the actual number.
    const channels = Math.max(format.numberOfChannels ?? 1, block.channelData.length)
    if (channels > maxChannels) throw new UndecodableError()
    meter ??= createPeakMeter(channels)
    sampleRate ||= block.sampleRate
    if (!isPlausibleSampleRate(sampleRate)) throw new Error('the sample rate is out of range')
    meter.add(block.channelData)
    requireWithinLimits(meter.frames(), sampleRate, file)
  }
  return meter ? { frames: meter.frames(), sampleRate, waveform: meter.waveform(sampleRate) } : 'empty'
}

/**
 * Returns the declared duration of the audio in seconds, or undefined when it is an estimate. The parser estimates the
 * samples of an MP3 without a length header from the file size. Chunked files are checked by their chunk sizes, because
 * their other length fields are often wrong.
 */
export const readDeclaredDurationS = (family: MediaFamily, { format }: IAudioMetadata) => {
  const { duration, numberOfSamples = 0, sampleRate = 1 } = format
  const isEstimate = family === 'mp3' && duration === numberOfSamples / sampleRate
  return isEstimate || chunkedFamilies.includes(family) ? undefined : duration
}

/**
 * Decodes a file and returns its number of frames, sample rate and waveform, or why there are none. Throws
 * `LimitExceededError` for a file with more samples than its size allows.
 */
export const measureAudio = async (file: AudioFile, metadata: IAudioMetadata) => {
  const declaredS = readDeclaredDurationS(file.family, metadata) ?? 0
  const { sampleRate = 1 } = metadata.format
  try {
    requireWithinLimits(declaredS * sampleRate, sampleRate, file)
    return await decodeAndMeasure(file, metadata)
  } catch (error) {
    if (error instanceof LimitExceededError) throw error
    if (error instanceof TooLongError) return 'too long'
    if (error instanceof UndecodableError) return 'undecodable'
    if (error instanceof Error && /unsupported|no decoder/i.test(error.message)) return 'undecodable'
    return 'corrupt'
  }
}
