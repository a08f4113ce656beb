import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { sampleCases } from '#test/support/count-cases.ts'
import { ffmpeg } from '#test/support/ffmpeg.ts'
import { startAnalyses } from '#test/support/media/analyses.ts'
import { type Bytes, readMediaFile, toRf64, wav } from '#test/support/media/audio-files.ts'

// Contains every 8-bit value, including full scale.
const noise = (seconds: number, channel: number) =>
  Math.sin(seconds * 1e5 * (channel + 1)) * Math.sin(seconds * 7)

const noisyWav = (samples: 'int16' | 'int32' | 'float32' | 'float64') =>
  wav({ seconds: 3, sampleRate: 44_100, channels: 2, sampleAt: noise, samples })

describe.skipIf(!ffmpeg)('the waveform of a file that is analysed without ffmpeg', () => {
  const { onDisk, analyse, analyseSound } = startAnalyses()

  const analyseInProcess = async (bytes: Bytes, contentType: string) => {
    const found = await analyse(bytes, contentType, null)
    if (found.failure || typeof found.waveform === 'string') throw new Error('not decoded')
    return { ...found, waveform: found.waveform }
  }

  const encode = async (codec: string, extension: string) => {
    const source = await onDisk(noisyWav('int16'))
    const target = await onDisk(new Uint8Array())
    const options = ['-v', 'error', '-y', '-i', source, '-c:a', codec, '-f', extension, target]
    await promisify(execFile)(ffmpeg!.path, options)
    return new Uint8Array(await readFile(target))
  }

  it.each([
    ['16-bit WAV', async () => noisyWav('int16'), 'audio/wav'],
    ['32-bit WAV', async () => noisyWav('int32'), 'audio/wav'],
    ['float WAV', async () => noisyWav('float32'), 'audio/wav'],
    ['double WAV', async () => noisyWav('float64'), 'audio/wav'],
    ['24-bit WAV', () => readMediaFile('sine-24.wav'), 'audio/wav'],
    ['RF64', async () => toRf64(noisyWav('int16')), 'audio/wav'],
    ['AIFF', () => readMediaFile('sine.aiff'), 'audio/aiff'],
  ])('matches that of ffmpeg: %s', async (_, read, contentType) => {
    const bytes = await read()
    expect(await analyseInProcess(bytes, contentType)).toEqual(await analyseSound(bytes, contentType))
  })

  const encodings = [
    ['pcm_u8', 'wav'],
    ['pcm_alaw', 'wav'],
    ['pcm_mulaw', 'wav'],
    ['adpcm_ima_wav', 'wav'],
    ['adpcm_ms', 'wav'],
    ['adpcm_ms', 'w64'],
    ['pcm_s8', 'aiff'],
    ['pcm_alaw', 'aiff'],
    ['pcm_mulaw', 'aiff'],
    ['pcm_s16le', 'aiff'],
    ['pcm_s24be', 'aiff'],
    ['pcm_s32be', 'aiff'],
    ['pcm_f32be', 'aiff'],
    ['pcm_f64be', 'aiff'],
  ] as const
  it.each(sampleCases(encodings, 1 / 3))('matches that of ffmpeg: %s in %s', async (codec, extension) => {
    const bytes = await encode(codec, extension)
    const contentType = extension === 'aiff' ? 'audio/aiff' : 'audio/wav'
    expect(await analyseInProcess(bytes, contentType)).toEqual(await analyseSound(bytes, contentType))
  })

  it('is missing if only ffmpeg can decode the file', async () => {
    const bytes = await encode('adpcm_ima_qt', 'aiff')
    const without = await analyse(bytes, 'audio/aiff', null)
    expect(without).toMatchObject({ failure: null, waveform: 'no decoder', measures: { sampleRate: 44_100 } })
    const { measures, waveform } = await analyseSound(bytes, 'audio/aiff')
    expect(measures).toMatchObject({ sampleRate: 44_100, channels: 2 })
    expect(Math.abs(measures.durationMs! - 3000)).toBeLessThan(5)
    expect(Math.max(...waveform.data)).toBeGreaterThan(120)
  })
})
