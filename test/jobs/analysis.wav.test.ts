import { describe, expect, it } from 'vitest'
import { startAnalyses } from '#test/support/media/analyses.ts'
import { sine, wav } from '#test/support/media/sound.ts'

describe('the analysis of a WAV file', () => {
  const { analyseSound } = startAnalyses()

  it.each(['int32', 'float32', 'float64'] as const)(
    'hears %s samples as those of 16 bits',
    async (samples) => {
      // Longer than what is read at once.
      const sound = { seconds: 5, channels: 2, sampleAt: sine(97, 0.8) }
      const expected = await analyseSound(wav(sound), 'audio/wav')
      const { measures, waveform } = await analyseSound(wav({ ...sound, samples }), 'audio/wav')
      expect(measures).toEqual(expected.measures)
      expect(waveform.data).toHaveLength(expected.waveform.data.length)
      const steps = waveform.data.map((value, index) => Math.abs(value - expected.waveform.data[index]!))
      expect(Math.max(...steps)).toBeLessThanOrEqual(1)
    },
  )
})
