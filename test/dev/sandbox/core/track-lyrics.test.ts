import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { invalidPaths, makeTrack, type RunningCore, runCore, timestamp } from './running-core.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore()
})
afterAll(() => core.close())

const createTrack = async () => {
  const alice = await core.signIn()
  const trackId = await makeTrack(alice)
  return { alice, trackId, lyrics: `/v1/tracks/${trackId}/lyrics` }
}

const emptyLyrics = {
  text: null,
  language: null,
  lines: [],
  source: null,
  status: 'none',
  createdAt: null,
  updatedAt: null,
}

describe('tracks.lyrics.detail', () => {
  it('returns an empty document for a track without lyrics', async () => {
    const { alice, trackId, lyrics } = await createTrack()
    const { status, body } = await alice.get(lyrics)
    expect([status, body]).toEqual([200, { trackId, ...emptyLyrics }])
  })

  it('omits the provider and the model of recognized lyrics', async () => {
    const { alice, trackId, lyrics } = await createTrack()
    await core.sql`
      insert into track_lyrics (track_id, text, source, status, provider, model)
      values (${trackId}, 'la', 'ai', 'ready', 'provider', 'large')`
    expect((await alice.get(lyrics)).body).toEqual({
      ...emptyLyrics,
      trackId,
      text: 'la',
      source: 'ai',
      status: 'ready',
      createdAt: expect.stringMatching(timestamp),
      updatedAt: expect.stringMatching(timestamp),
    })
  })
})

describe('tracks.lyrics.replace', () => {
  it('stores text and lines unchanged', async () => {
    const { alice, trackId, lyrics } = await createTrack()
    const lines = [
      { startMs: 0, endMs: 900, text: 'low tide' },
      { startMs: 900, text: '' },
      { startMs: 900, endMs: null, text: 'slow\ttide' },
    ]
    const { status, body } = await alice.put(lyrics, { text: 'a\n\tb', language: 'pt-BR', lines })
    expect(status).toBe(200)
    expect(body).toEqual({
      trackId,
      text: 'a\n\tb',
      language: 'pt-BR',
      lines: lines.map((line) => ({ endMs: null, ...line })),
      source: 'user',
      status: 'ready',
      createdAt: expect.stringMatching(timestamp),
      updatedAt: expect.stringMatching(timestamp),
    })
    expect((await alice.get(lyrics)).body).toEqual(body)
  })

  it('replaces all fields and marks the lyrics as edited by the user', async () => {
    const { alice, trackId, lyrics } = await createTrack()
    await alice.put(lyrics, { text: 'a', language: 'en', lines: [{ startMs: 1, text: 'a' }] })
    await core.sql`update track_lyrics set source = 'ai', user_edited = false, model = 'large' where track_id = ${trackId}`
    expect((await alice.put(lyrics, { text: 'b' })).body).toMatchObject({
      text: 'b',
      language: null,
      lines: [],
      source: 'user',
    })
    const [row] = await core.sql`select user_edited, model from track_lyrics where track_id = ${trackId}`
    expect(row).toEqual({ user_edited: true, model: null })
  })

  it('joins the lines into the text if no text is sent', async () => {
    const { alice, lyrics } = await createTrack()
    const lines = [
      { startMs: 0, text: 'one' },
      { startMs: 5, text: 'two' },
    ]
    expect((await alice.put(lyrics, { lines })).body.text).toBe('one\ntwo')
  })

  it.each([[{ text: '' }], [{ lines: [] }], [{ text: '', lines: [] }]])(
    'clears the lyrics with %j',
    async (body) => {
      const { alice, lyrics } = await createTrack()
      await alice.put(lyrics, { text: 'a' })
      expect((await alice.put(lyrics, body)).body).toMatchObject({ text: null, lines: [], status: 'none' })
    },
  )

  it.each(['x-whatever', 'zh-cmn-Hans-CN', 'i-klingon', 'de-DE-1996-u-co-phonebk', 'es-419'])(
    'accepts the language %s',
    async (language) => {
      const { alice, lyrics } = await createTrack()
      expect((await alice.put(lyrics, { text: 'a', language: ` ${language} ` })).body.language).toBe(language)
    },
  )

  it.each([
    ['neither text nor lines', { language: 'en' }, ''],
    ['no body', undefined, ''],
    ['too long a text', { text: 'x'.repeat(50_001) }, 'text'],
    ['a control character', { text: 'a\rb' }, 'text'],
    ['no language tag', { text: 'a', language: 'english please' }, 'language'],
    ['a language out of order', { text: 'a', language: 'en-US-Latn' }, 'language'],
    ['too long a language', { text: 'a', language: `x${'-abcdefgh'.repeat(8)}` }, 'language'],
    ['a negative start', { lines: [{ startMs: -1, text: 'a' }] }, 'lines.0.startMs'],
    ['an end before the start', { lines: [{ startMs: 5, endMs: 5, text: 'a' }] }, 'lines.0.endMs'],
    ['a long line', { lines: [{ startMs: 5, text: 'x'.repeat(1001) }] }, 'lines.0.text'],
    ['lines out of order', { lines: [5, 4].map((startMs) => ({ startMs, text: 'a' })) }, 'lines.1.startMs'],
    ['2001 lines', { lines: Array.from({ length: 2001 }, (_, startMs) => ({ startMs, text: '' })) }, 'lines'],
  ])('rejects %s and changes nothing', async (_, body, path) => {
    const { alice, lyrics } = await createTrack()
    const { body: stored } = await alice.put(lyrics, { text: 'stored' })
    expect(invalidPaths(await alice.put(lyrics, body))).toEqual([path])
    expect((await alice.get(lyrics)).body).toEqual(stored)
  })
})
