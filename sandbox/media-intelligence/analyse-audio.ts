import { decodeChunked } from 'audio-decode'
import MusicTempo from 'music-tempo'
import { estimateKey } from './key.ts'

type AudioFormat = Parameters<typeof decodeChunked>[1]

const analysedSeconds = 60

const formats: readonly (readonly [pattern: RegExp, format: AudioFormat])[] = [
  [/wav/, 'wav'],
  [/mpeg|mp3/, 'mp3'],
  [/flac/, 'flac'],
  [/aiff/, 'aiff'],
  [/mp4|m4a/, 'm4a'],
  [/aac/, 'aac'],
  [/opus/, 'opus'],
  [/ogg/, 'oga'],
  [/webm/, 'webm'],
]

const mixToMono = (channels: readonly Float32Array[]) =>
  Float32Array.from(
    channels[0] ?? [],
    (_, index) => channels.reduce((sum, channel) => sum + (channel[index] ?? 0), 0) / channels.length,
  )

/** Downloads and decodes the first minute of an audio file, mixed to one channel. */
const decodeFirstMinute = async (url: string, contentType: string) => {
  const format = formats.find(([pattern]) => pattern.test(contentType))?.[1]
  if (!format) throw new Error(`unsupported audio type ${contentType}`)
  const { body, ok, status } = await fetch(url)
  if (!ok || !body) throw new Error(`the object store returned ${status} for GET`)
  const parts: Float32Array[] = []
  let [length, sampleRate] = [0, 0]
  for await (const block of decodeChunked(body, format)) {
    parts.push(mixToMono(block.channelData))
    length += parts.at(-1)?.length ?? 0
    sampleRate = block.sampleRate
    if (length >= analysedSeconds * sampleRate) break
  }
  const samples = new Float32Array(length)
  let offset = 0
  for (const part of parts) {
    samples.set(part, offset)
    offset += part.length
  }
  return { samples, sampleRate }
}

const estimateTempo = (samples: Float32Array, sampleRate: number) => {
  const hopSize = Math.round(sampleRate / 100)
  try {
    const tempo = Number(new MusicTempo(samples, { hopSize, timeStep: hopSize / sampleRate }).tempo)
    return tempo > 0 ? Math.round(tempo) : null
  } catch {
    // The library throws for audio without a beat.
    return null
  }
}

/** Returns the tags of an audio file: a tempo if it has a beat, a key if it has notes. */
export const analyseAudio = async (url: string, contentType: string) => {
  const { samples, sampleRate } = await decodeFirstMinute(url, contentType)
  const tempo = estimateTempo(samples, sampleRate)
  const key = estimateKey(samples, sampleRate)
  return [
    ...(tempo === null
      ? []
      : [{ category: 'bpm', value: String(tempo), numericValue: tempo, confidence: null }]),
    ...(key === null
      ? []
      : [
          {
            category: 'key',
            value: key.key,
            numericValue: null,
            confidence: Math.round(key.confidence * 1000) / 1000,
          },
        ]),
  ]
}
