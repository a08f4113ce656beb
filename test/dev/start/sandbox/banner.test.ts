import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatBanner, formatTerminalBanner } from '#dev/start/sandbox/banner.ts'

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

const password = 'DVJ72bheZ7J6FvHphOhu2qNzcEYa6Ei3'
const full = {
  url: 'http://127.0.0.1:65535',
  token: 'a.b.c',
  demoPackUrl: 'http://127.0.0.1:65534/share/packs/harbour-ep',
  consoleUrl: 'http://127.0.0.1:65533/console',
  adminUrls: { gateway: 'http://127.0.0.1:65533', jobs: 'http://127.0.0.1:65532' },
  ffmpegPath: null,
  sandbox: {
    database: `postgres://postgres:${password}@127.0.0.1:65531/postgres`,
    core: 'http://127.0.0.1:65530',
    'object store': 'http://127.0.0.1:65529',
    'billing provider': 'http://127.0.0.1:65528',
    'e-mail outbox': 'http://127.0.0.1:65527',
    'operator token': '/x/.data/operator-token',
  },
}
const options = { stateDir: join(process.cwd(), '.data'), startMs: 6040 }

describe('the banner of npm start in a terminal', () => {
  it('has at most 24 lines of 80 columns when every part of the sandbox runs', () => {
    const lines = formatTerminalBanner(full, options).split('\n')
    expect(lines.length).toBeLessThanOrEqual(24)
    expect(lines.filter((line) => line.length > 80)).toEqual([])
    expect(lines.at(-1)).toBe('Ready in 6.0 s. Press Ctrl-C to stop.')
  })

  it('lists the page at the base URL before any other address', () => {
    const [first] = formatTerminalBanner(full, options).matchAll(/^.*http:.*$/gm)
    expect(first?.[0]).toBe('  Start here     http://127.0.0.1:65535')
  })

  it('contains commands that can be pasted, and no secrets', () => {
    const banner = formatTerminalBanner(full, options)
    expect(banner.match(/^ {2}(?:TOKEN|curl).*$/gm)).toEqual([
      '  TOKEN=$(npm run -s token)',
      '  curl -i -H "Authorization: Bearer $TOKEN" http://127.0.0.1:65535/v1/libraries',
      '  curl -i -H "Authorization: Bearer $TOKEN" http://127.0.0.1:65535/v1/tracks',
      '  curl -i http://127.0.0.1:65535/v1/libraries',
    ])
    expect(banner).not.toContain(password)
    expect(banner).not.toContain('a.b.c')
  })

  it('leaves out what the user provides instead of the sandbox', () => {
    const own = { ...full, token: null, sandbox: {}, demoPackUrl: null, consoleUrl: null, adminUrls: {} }
    const banner = formatTerminalBanner({ ...own, ffmpegPath: '/usr/bin/ffmpeg' }, options)
    expect(banner).toContain('TOKEN=YOUR_TOKEN')
    expect(banner).not.toMatch(/Look at it|Console|Core|PostgreSQL|Metrics|ffmpeg|null|undefined/)
  })
})
