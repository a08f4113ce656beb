import type { IAudioMetadata } from 'music-metadata'
import { decodeFile } from './decode.ts'
import { LimitExceeded } from './limit-exceeded.ts'
import type { MediaFamily } from './media-family.ts'
import { createPeakMeter } from './peaks.ts'

export const familiesInChunks: readonly MediaFamily[] = ['wav', 'rf64', 'aiff']

const mostChannels = 8
const maxDurationS = 24 * 3600
const maxSampleRate = 1_000_000
// Silence takes the fewest bytes: 65,535 samples are a constant frame of FLAC of 14 bytes, and 120 milliseconds a
// packet of Opus of 3. Whoever says more of a file says nothing true of it, or has made it up to be expanded.
const maxSamplesPerByte = 8192

/** Whether sound may have this sample rate; a file can say anything. */
export const isPossibleRate = (sampleRate: number) => sampleRate > 0 && sampleRate <= maxSampleRate

class Undecodable extends Error {}
class TooLong extends Error {}

interface SoundFile {
  readonly path: string
  readonly family: MediaFamily
  readonly fileSize: number
  readonly headBytes: number
}

const requireWithinLimits = (frames: number, sampleRate: number, { fileSize }: SoundFile) => {
  if (frames > maxDurationS * sampleRate) throw new TooLong()
  if (frames > maxSamplesPerByte * fileSize) throw new LimitExceeded('the file expands without end')
}

const drawSound = async (file: SoundFile, { format }: IAudioMetadata) => {
  let meter: ReturnType<typeof createPeakMeter> | undefined
  let sampleRate = 0
  if ((format.numberOfChannels ?? 1) > mostChannels) throw new Undecodable()
  for await (const block of decodeFile(file.path, file.family, format.codec ?? '', file.headBytes)) {
    // Where both channels are equal a decoder may give one; the file knows how many it has.
    const channels = Math.max(format.numberOfChannels ?? 1, block.channelData.length)
    if (channels > mostChannels) throw new Undecodable()
    meter ??= createPeakMeter(channels)
    sampleRate ||= block.sampleRate
    if (!isPossibleRate(sampleRate)) throw new Error('the file has a sample rate that nothing has')
    meter.add(block.channelData)
    requireWithinLimits(meter.frames(), sampleRate, file)
  }
  return meter ? { frames: meter.frames(), sampleRate, waveform: meter.waveform(sampleRate) } : 'empty'
}

/**
 * How long the file says its audio is, in seconds; undefined where that is no more than a guess. The samples of an MP3
 * are known from the size of the file alone, whatever else it holds: a length that follows from them is a guess. Files
 * in chunks are judged by those: what they say besides of their samples is often wrong.
 */
export const declaredLengthS = (family: MediaFamily, { format }: IAudioMetadata) => {
  const { duration, numberOfSamples = 0, sampleRate = 1 } = format
  const isGuess = family === 'mp3' && duration === numberOfSamples / sampleRate
  return isGuess || familiesInChunks.includes(family) ? undefined : duration
}

/**
 * Decodes a file and measures what is heard: how many samples, at which rate, and their waveform. Throws `LimitExceeded`
 * for a file that holds more samples than its bytes can.
 */
export const measureSound = async (file: SoundFile, metadata: IAudioMetadata) => {
  const declaredS = declaredLengthS(file.family, metadata) ?? 0
  const { sampleRate = 1 } = metadata.format
  try {
    requireWithinLimits(declaredS * sampleRate, sampleRate, file)
    return await drawSound(file, metadata)
  } catch (error) {
    if (error instanceof LimitExceeded) throw error
    if (error instanceof TooLong) return 'too long'
    if (error instanceof Undecodable) return 'undecodable'
    if (error instanceof Error && /unsupported|no decoder/i.test(error.message)) return 'undecodable'
    return 'corrupt'
  }
}
