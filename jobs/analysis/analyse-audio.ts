import { Readable } from 'node:stream'
import { type IAudioMetadata, parseFile, parseStream } from 'music-metadata'
import type { Failure } from '#db/queries/failure.ts'
import type { VersionMeasures } from '#db/queries/track-versions.ts'
import { endsInsideSound } from './chunked-file.ts'
import { decodeFile } from './decode.ts'
import { type FileLyrics, type FileTag, lyricsIn, tagsIn } from './file-tags.ts'
import { type MediaFamily, mayBeDeclaredAs, sniffFamily } from './media-family.ts'
import { createPeakMeter, type Waveform } from './peaks.ts'
import { readAsPlainWav } from './plain-wav.ts'

/** What became of a file's analysis: with a `failure` it is not the audio it was declared to be. */
export type AudioAnalysis =
  | { readonly failure: Failure }
  | {
      readonly failure: null
      readonly measures: VersionMeasures
      /** Null where the file can be played but not decoded here. */
      readonly waveform: Waveform | null
      readonly tags: readonly FileTag[]
      readonly lyrics: FileLyrics | null
    }

const failures = {
  type_mismatch: 'The file is not of the type that it was declared to be.',
  audio_corrupt: 'The file cannot be read as audio.',
  audio_truncated: 'The file ends before its audio does.',
  audio_empty: 'The file holds no audio.',
} as const

const failed = (code: keyof typeof failures): AudioAnalysis => ({
  failure: { code, message: failures[code] },
})

const familiesInChunks: readonly MediaFamily[] = ['wav', 'rf64', 'aiff']

const parse = (path: string, family: MediaFamily) => {
  const options = { skipCovers: true }
  if (family !== 'rf64') return parseFile(path, options)
  return parseStream(Readable.from(readAsPlainWav(path), { objectMode: false }), 'audio/wav', options)
}

const mostChannels = 8

class Undecodable extends Error {}

const decode = async (path: string, family: MediaFamily, { format }: IAudioMetadata) => {
  let meter: ReturnType<typeof createPeakMeter> | undefined
  let sampleRate = 0
  try {
    for await (const block of decodeFile(path, family, format.codec ?? '')) {
      // Where both channels are equal a decoder may give one; the file knows how many it has.
      const channels = Math.max(format.numberOfChannels ?? 1, block.channelData.length)
      if (channels > mostChannels) throw new Undecodable()
      meter ??= createPeakMeter(channels)
      sampleRate ||= block.sampleRate
      meter.add(block.channelData)
    }
  } catch (error) {
    if (error instanceof Undecodable) return 'undecodable'
    if (error instanceof Error && /unsupported|no decoder/i.test(error.message)) return 'undecodable'
    return 'corrupt'
  }
  return meter ? { frames: meter.frames(), sampleRate, waveform: meter.waveform(sampleRate) } : 'empty'
}

// The samples of an MP3 are known from the size of the file alone, whatever else it holds: a length that follows from
// them is a guess. Files in chunks are judged by those: what they say besides of their samples is often wrong.
const declaredLengthS = (family: MediaFamily, { format }: IAudioMetadata) => {
  const { duration, numberOfSamples = 0, sampleRate = 1 } = format
  const isGuess = family === 'mp3' && duration === numberOfSamples / sampleRate
  return isGuess || familiesInChunks.includes(family) ? undefined : duration
}

// Decoders leave out what an encoder put around the sound, and one leaves out a last block.
const isCutShort = (decodedS: number, declaredS: number | undefined) =>
  declaredS !== undefined && decodedS < declaredS * 0.99 - 0.3

const inMs = (seconds: number) => Math.min(Math.round(seconds * 1000), 2_147_483_647)

/** Judges a file by its bytes: whether it is what it was declared to be, how it sounds and what it says of itself. */
export const analyseAudio = async (path: string, contentType: string): Promise<AudioAnalysis> => {
  const family = await sniffFamily(path)
  if (!family || !mayBeDeclaredAs(family, contentType)) return failed('type_mismatch')
  if (familiesInChunks.includes(family) && (await endsInsideSound(path))) return failed('audio_truncated')
  const metadata = await parse(path, family).catch(() => null)
  if (!metadata) return failed('audio_corrupt')

  const { duration, sampleRate = null, numberOfChannels = null } = metadata.format
  const said = { tags: tagsIn(metadata), lyrics: lyricsIn(metadata) }
  const decoded = await decode(path, family, metadata)
  switch (decoded) {
    case 'corrupt':
      return failed('audio_corrupt')
    case 'empty':
      return failed('audio_empty')
    case 'undecodable': {
      const durationMs = duration === undefined ? null : inMs(duration)
      return {
        failure: null,
        measures: { durationMs, sampleRate, channels: numberOfChannels },
        waveform: null,
        ...said,
      }
    }
  }
  const decodedS = decoded.frames / decoded.sampleRate
  if (isCutShort(decodedS, declaredLengthS(family, metadata))) return failed('audio_truncated')
  const { waveform } = decoded
  const measures = { durationMs: inMs(decodedS), sampleRate: decoded.sampleRate, channels: waveform.channels }
  return { failure: null, measures, waveform, ...said }
}
