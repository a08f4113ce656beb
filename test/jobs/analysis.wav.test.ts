import { describe, expect, it } from 'vitest'
import { startAnalyses } from '#test/support/media/analyses.ts'
import { type Bytes, sine, toRf64, wav } from '#test/support/media/audio-files.ts'

describe('analysis of WAV files', () => {
  const { analyse, analyseSound } = startAnalyses()

  it.each(['int32', 'float32', 'float64'] as const)(
    'decodes %s samples to the same waveform as 16-bit samples',
    async (samples) => {
      // The sound is longer than the analyser reads at once.
      const sound = { seconds: 5, channels: 2, sampleAt: sine(97, 0.8) }
      const expected = await analyseSound(wav(sound), 'audio/wav')
      const { measures, waveform } = await analyseSound(wav({ ...sound, samples }), 'audio/wav')
      expect(measures).toEqual(expected.measures)
      expect(waveform.data).toHaveLength(expected.waveform.data.length)
      const steps = waveform.data.map((value, index) => Math.abs(value - expected.waveform.data[index]!))
      expect(Math.max(...steps)).toBeLessThanOrEqual(1)
    },
  )

  const withInfoChunk = (file: Bytes): Bytes => {
    const bytes = Buffer.concat([file, Buffer.from('LIST\x1e\0\0\0INFOIGNR\x12\0\0\0Drum and bass, 90s')])
    bytes.writeUInt32LE(bytes.length - 8, 4)
    return new Uint8Array(bytes)
  }

  it.each([
    ['RF64', 'int16'],
    ['BW64', 'float32'],
  ] as const)(
    'decodes only the audio chunk of %s (%s) and reads the chunks after it',
    async (signature, samples) => {
      const file = withInfoChunk(wav({ seconds: 5, samples }))
      const plain = await analyseSound(file, 'audio/wav')
      const wide = await analyseSound(toRf64(file, signature), 'audio/wav')
      expect(plain.tags).toMatchObject([{ category: 'genre', value: 'Drum and bass, 90s' }])
      expect(wide).toEqual(plain)
    },
  )

  it('rejects the first half of an RF64 file as truncated', async () => {
    const { failure } = await analyse(toRf64(wav({ seconds: 4 })).slice(0, 30_000), 'audio/wav')
    expect(failure?.code).toBe('audio_truncated')
  })
})
