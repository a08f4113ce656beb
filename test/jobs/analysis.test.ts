import { describe, expect, it } from 'vitest'
import { analyseAudioInChild } from '#jobs/analysis/analyse-in-child.ts'
import { isThorough, sampleCases } from '#test/support/count-cases.ts'
import { ffmpeg } from '#test/support/ffmpeg.ts'
import { startAnalyses } from '#test/support/media/analyses.ts'
import { readMediaFile, sine, wav } from '#test/support/media/audio-files.ts'

describe('analyseAudio', () => {
  const { onDisk, analyse, analyseSound } = startAnalyses()
  const inProcess = [
    ['sine.aiff', 'audio/aiff', 11_025],
    ['sine-24.wav', 'audio/wav', 11_025],
  ] as const
  const withFfmpeg = [
    ['sine.mp3', 'audio/mpeg', 44_100],
    ['sine.flac', 'audio/flac', 22_050],
    ['sine.ogg', 'audio/ogg', 44_100],
    ['sine.opus', 'audio/opus', 48_000],
    ['sine.m4a', 'audio/mp4', 44_100],
    ['sine-faststart.m4a', 'audio/x-m4a', 44_100],
    ['sine-alac.m4a', 'audio/mp4', 22_050],
    ['sine.aac', 'audio/aac', 44_100],
    ['sine.webm', 'audio/webm', 48_000],
  ] as const

  const checkSine = async (name: string, contentType: string, sampleRate: number) => {
    const { measures, waveform } = await analyseSound(await readMediaFile(name), contentType)
    expect(measures).toMatchObject({ sampleRate, channels: 2 })
    expect(measures.durationMs).toBeGreaterThan(1880)
    expect(measures.durationMs).toBeLessThan(2060)
    expect(waveform).toMatchObject({ sampleRate, channels: 2, samplesPerPixel: 256 })
    expect(waveform.data).toHaveLength(waveform.length * 2 * 2)
    // In the middle, after the encoder delay, the left channel's peak is half of full scale, the right one's a quarter.
    const middle = Math.floor(waveform.length / 2) * 4
    const [lowLeft, highLeft, lowRight, highRight] = waveform.data.subarray(middle, middle + 4)
    expect(lowLeft).toBeGreaterThan(-85)
    expect(lowLeft).toBeLessThan(-56)
    expect(highLeft).toBeGreaterThan(55)
    expect(highLeft).toBeLessThan(85)
    expect(lowRight).toBeGreaterThan(-42)
    expect(lowRight).toBeLessThan(-24)
    expect(highRight).toBeGreaterThan(24)
    expect(highRight).toBeLessThan(42)
  }

  it.each(inProcess)('returns the measurements and waveform of %s', checkSine)

  it.skipIf(!ffmpeg).each(withFfmpeg)('returns the measurements and waveform of %s with ffmpeg', checkSine)

  it.each(withFfmpeg)(
    'returns the measurements and tags of %s, but no waveform, without ffmpeg',
    async (name, type, rate) => {
      const found = await analyse(await readMediaFile(name), type, null)
      if (found.failure) throw new Error(found.failure.code)
      expect(found.waveform).toBe('no decoder')
      expect(found.measures).toMatchObject({ sampleRate: rate, channels: 2 })
      expect(found.measures.durationMs).toBeGreaterThan(1990)
      expect(found.measures.durationMs).toBeLessThan(2060)
    },
  )

  it.each([
    ['a few pixels', 0.5, 8000, 1],
    ['stereo', 3, 22_050, 2],
    ['several minutes', isThorough ? 300 : 120, 22_050, 1],
  ])(
    "returns a waveform within one step of a sine wave's samples: %s",
    async (_, seconds, sampleRate, channels) => {
      const amplitudes = [0.8, 0.3]
      const at = (moment: number, channel: number) =>
        sine(97 * (channel + 1), amplitudes[channel] ?? 0)(moment)
      const bytes = wav({ seconds, sampleRate, channels, sampleAt: at })
      const { waveform, measures } = await analyseSound(bytes, 'audio/wav')
      expect(measures).toEqual({ durationMs: seconds * 1000, sampleRate, channels })
      const frames = seconds * sampleRate
      expect(waveform).toMatchObject({ samplesPerPixel: 256, length: Math.ceil(frames / 256) })
      for (let pixel = 0; pixel < waveform.length; pixel++)
        for (let channel = 0; channel < channels; channel++) {
          let [low, high] = [1, -1]
          const end = Math.min(frames, (pixel + 1) * 256)
          for (let frame = pixel * 256; frame < end; frame++) {
            const sample = at(frame / sampleRate, channel)
            low = Math.min(low, sample)
            high = Math.max(high, sample)
          }
          const place = (pixel * channels + channel) * 2
          const drawn = [waveform.data[place]!, waveform.data[place + 1]!]
          if (Math.abs(drawn[0]! - low * 128) > 1.01 || Math.abs(drawn[1]! - high * 128) > 1.01)
            expect({ pixel, channel, drawn }).toEqual({ low: low * 128, high: high * 128 })
        }
    },
  )

  it('returns both channels of a stereo file with identical channels', async () => {
    const { waveform } = await analyseSound(wav({ channels: 2 }), 'audio/wav')
    expect(waveform.channels).toBe(2)
    expect(waveform.data.subarray(0, 2)).toEqual(waveform.data.subarray(2, 4))
  })

  it('reads embedded tags and lyrics', async () => {
    const mp3 = await analyse(await readMediaFile('sine.mp3'), 'audio/mpeg')
    const flac = await analyse(await readMediaFile('sine.flac'), 'audio/flac')
    if (mp3.failure || flac.failure) throw new Error('not readable')
    expect(mp3.tags).toEqual([
      { category: 'genre', value: 'Ambient', numericValue: null },
      { category: 'key', value: 'Am', numericValue: null },
      { category: 'bpm', value: '120', numericValue: 120 },
    ])
    expect(flac.lyrics).toEqual({ text: 'First line\nSecond line', language: null, lines: [] })
  })

  it.each([
    [
      'noise',
      'type_mismatch',
      async () => new Uint8Array(5000).map((_, index) => (index * 7919) % 251),
      'audio/wav',
    ],
    ['an image', 'type_mismatch', () => readMediaFile('cover.png'), 'audio/mpeg'],
    ['a format other than the declared one', 'type_mismatch', async () => wav(), 'audio/mpeg'],
    ['half a WAV file', 'audio_truncated', async () => wav({ seconds: 4 }).slice(0, 30_000), 'audio/wav'],
    ['a file without samples', 'audio_empty', async () => wav({ seconds: 0 }), 'audio/wav'],
  ])('rejects %s with %s', async (_, code, bytes, contentType) => {
    const found = await analyse(await bytes(), contentType)
    expect(found.failure).toEqual({ code, message: expect.stringMatching(/^The file .*\.$/) })
  })

  it.skipIf(!ffmpeg).each([
    ['sine.mp3', 'audio/mpeg', 12_000],
    ['sine.flac', 'audio/flac', 60_000],
  ])('rejects the first half of %s as truncated', async (name, contentType, length) => {
    const found = await analyse((await readMediaFile(name)).slice(0, length), contentType)
    expect(found.failure?.code).toBe('audio_truncated')
  })

  it.each([
    'sine.mp3',
    'sine.flac',
    'sine.ogg',
    'sine.m4a',
    'sine.aac',
    'sine.aiff',
    'sine-24.wav',
    'sine.webm',
  ])('does not throw for a corrupted %s', async (name) => {
    const bytes = await readMediaFile(name)
    for (const [from, to] of [
      [64, 400],
      [bytes.length / 2, bytes.length / 2 + 2000],
      [bytes.length / 4, bytes.length],
    ]) {
      const corrupted = bytes.slice().fill(0xa5, from, to)
      for (const contentType of sampleCases(
        ['audio/mpeg', 'audio/flac', 'audio/ogg', 'audio/mp4', 'audio/aac', 'audio/wav'],
        1 / 3,
      ))
        await analyse(corrupted, contentType)
    }
  })

  it('runs in a child process, and if that process exits, only its own analysis fails', async () => {
    const never = new AbortController().signal
    const contentType = 'audio/wav'
    const found = await analyseAudioInChild({ path: await onDisk(wav()), contentType }, null, never)
    expect(found).toMatchObject({ failure: null, measures: { durationMs: 1000 } })
    await expect(analyseAudioInChild({ path: '/missing', contentType }, null, never)).rejects.toThrow(
      'the analysis process exited',
    )
    const long = await onDisk(wav({ seconds: 600 }))
    // Aborts after the child process has started, and long before it has decoded ten minutes.
    await expect(
      analyseAudioInChild({ path: long, contentType }, null, AbortSignal.timeout(150)),
    ).rejects.toThrow('aborted')
  })
})
