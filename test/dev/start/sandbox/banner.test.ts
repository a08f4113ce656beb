import { describe, expect, it } from 'vitest'
import { formatBanner } from '#dev/start/sandbox/banner.ts'

const content = {
  url: 'http://127.0.0.1:1',
  token: null,
  sandbox: {},
  demoPackUrl: null,
  consoleUrl: null,
  adminUrls: {},
}

describe('the banner of npm start', () => {
  it.each([
    ['/usr/bin/ffmpeg', 'ffmpeg was found at /usr/bin/ffmpeg, so files of all audio formats get a waveform.'],
    [
      null,
      'ffmpeg or prlimit was not found, so only WAV and AIFF files get a waveform. Others play without one.',
    ],
  ])('says in one line whether ffmpeg was found, and what that means (path %s)', (ffmpegPath, line) => {
    const lines = formatBanner({ ...content, ffmpegPath }).split('\n')
    expect(lines.filter((text) => text.includes('ffmpeg')).map((text) => text.trim())).toEqual([line])
  })

  it('says where to listen to the demo tracks, if they have sound', () => {
    const printed = { ...content, ffmpegPath: null }
    const demoPackUrl = 'http://127.0.0.1:2/share/packs/harbour-ep'
    expect(formatBanner({ ...printed, demoPackUrl })).toContain(`Listen to the demo tracks: ${demoPackUrl}\n`)
    expect(formatBanner(printed)).not.toContain('Listen')
  })
})
