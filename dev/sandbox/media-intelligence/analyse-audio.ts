import MusicTempo from 'music-tempo'
import { decodeFirstMinute } from './decode-first-minute.ts'
import { estimateKey } from './key.ts'

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

/** Returns an audio file's tags: a tempo if it has a beat, a key if it has notes. */
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
