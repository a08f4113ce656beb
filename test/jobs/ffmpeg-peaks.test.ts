import { describe, expect, it } from 'vitest'
import { analyseAudio } from '#jobs/analysis/analyse-audio.ts'
import { calculateAnalysisLimits } from '#jobs/analysis/analysis-limits.ts'
import { decodeWithFfmpeg } from '#jobs/analysis/decode-with-ffmpeg.ts'
import type { MediaFamily } from '#jobs/analysis/media-family.ts'
import type { Waveform } from '#jobs/analysis/peaks.ts'
import { ffmpeg } from '#test/support/ffmpeg.ts'
import { startAnalyses } from '#test/support/media/analyses.ts'
import { type Bytes, readMediaFile, toRf64, wav } from '#test/support/media/audio-files.ts'

// Every value of 8 bits occurs, full scale included.
const noise = (seconds: number, channel: number) =>
  Math.sin(seconds * 1e5 * (channel + 1)) * Math.sin(seconds * 7)

const noisyWav = (samples: 'int16' | 'int32' | 'float32' | 'float64') =>
  wav({ seconds: 3, sampleRate: 44_100, channels: 2, sampleAt: noise, samples })

describe.skipIf(!ffmpeg)('the waveform of audio that is decoded without ffmpeg', () => {
  const { onDisk } = startAnalyses()
  const readBoth = async (bytes: Bytes, family: MediaFamily, contentType: string) => {
    const path = await onDisk(bytes)
    const analysis = await analyseAudio({ path, contentType, hasDecoder: true })
    if (analysis.failure || 'undecoded' in analysis || typeof analysis.waveform === 'string')
      throw new Error(analysis.failure?.code ?? 'not decoded')
    const audio = { ...analysis, family, fileSize: bytes.length, declaredS: undefined }
    const limits = calculateAnalysisLimits(bytes.length)
    const decoded = await decodeWithFfmpeg(path, audio, ffmpeg!, limits, new AbortController().signal)
    if (typeof decoded === 'string') throw new Error(decoded)
    return [analysis.waveform, decoded.waveform] as const
  }
  const largestStep = ({ data }: Waveform, other: Waveform) =>
    data.reduce((largest, value, index) => Math.max(largest, Math.abs(value - other.data[index]!)), 0)

  it.each([
    ['16-bit WAV', 'wav', async () => noisyWav('int16')],
    ['32-bit WAV', 'wav', async () => noisyWav('int32')],
    ['float WAV', 'wav', async () => noisyWav('float32')],
    ['double WAV', 'wav', async () => noisyWav('float64')],
    ['24-bit WAV', 'wav', () => readMediaFile('sine-24.wav')],
    ['RF64', 'rf64', async () => toRf64(noisyWav('int16'))],
    ['AIFF', 'aiff', () => readMediaFile('sine.aiff')],
  ] as const)('is within one step of that of ffmpeg: %s', async (_, family, read) => {
    const [ours, theirs] = await readBoth(
      await read(),
      family,
      family === 'aiff' ? 'audio/aiff' : 'audio/wav',
    )
    expect({ ...ours, data: null }).toEqual({ ...theirs, data: null })
    expect(largestStep(ours, theirs)).toBeLessThanOrEqual(1)
  })
})
