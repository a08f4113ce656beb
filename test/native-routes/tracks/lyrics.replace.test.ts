import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'

describe('tracks.lyrics.replace', () => {
  const gateway = startTestGateway()

  const track = async () => {
    const alice = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, alice.accountId)
    return { alice, trackId, path: `/v1/tracks/${trackId}/lyrics` }
  }

  const cleared = { text: null, lines: [], source: 'user', status: 'none' }

  it('stores and returns the lyrics', async () => {
    const { alice, trackId, path } = await track()
    const lyrics = {
      text: 'One\nTwo',
      language: 'pt-BR',
      lines: [
        { startMs: 0, endMs: 1500, text: 'One' },
        { startMs: 1500, endMs: null, text: 'Two 🎹' },
      ],
    }
    const response = await alice.put(path, lyrics)
    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      trackId,
      ...lyrics,
      source: 'user',
      status: 'ready',
      createdAt: expect.any(String),
      updatedAt: response.body.createdAt,
    })
    expect((await alice.get(path)).body).toEqual(response.body)
  })

  it('replaces the lyrics completely, clearing the fields that are absent', async () => {
    const { alice, path } = await track()
    const before = await alice.put(path, { language: 'en', lines: [{ startMs: 0, text: 'One' }] })
    expect(before.body).toMatchObject({ text: 'One', lines: [{ startMs: 0, endMs: null, text: 'One' }] })
    await new Promise((resolve) => setTimeout(resolve, 5))
    const after = await alice.put(path, { text: 'Two' })
    expect(after.body).toMatchObject({ text: 'Two', language: null, lines: [] })
    expect(after.body.createdAt).toBe(before.body.createdAt)
    expect(Date.parse(after.body.updatedAt)).toBeGreaterThan(Date.parse(before.body.updatedAt))
  })

  it.each([{ text: '' }, { lines: [] }, { text: '', lines: [], language: 'en' }])(
    'clears the lyrics if the body is %j',
    async (body) => {
      const { alice, path } = await track()
      await alice.put(path, { text: 'One', language: 'en' })
      const response = await alice.put(path, body)
      expect(response.status).toBe(200)
      expect(response.body).toMatchObject(cleared)
      expect((await alice.get(path)).body).toEqual(response.body)
    },
  )

  it('marks recognized lyrics as edited by the owner when it clears them', async () => {
    const { alice, trackId, path } = await track()
    const { sql } = gateway.database
    await sql`insert into track_lyrics ${sql({ track_id: trackId, text: 'a', source: 'ai', status: 'ready', provider: 'p', model: 'm' })}`
    await alice.put(path, { text: '' })
    expect(await sql`select text, source, user_edited, provider, model from track_lyrics`).toContainEqual({
      text: null,
      source: 'user',
      user_edited: true,
      provider: null,
      model: null,
    })
  })

  it('accepts 2,000 lines and 50,000 characters', async () => {
    const { alice, path } = await track()
    const lines = Array.from({ length: 2000 }, (_, index) => ({ startMs: index, text: '🎹'.repeat(20) }))
    const response = await alice.put(path, { lines, text: '🎹'.repeat(50_000) })
    expect(response.status).toBe(200)
    expect(response.body.lines).toHaveLength(2000)
  })

  it.each([
    ['an empty body', {}, ''],
    ['only a language', { language: 'en' }, ''],
    ['2,001 lines', { lines: Array.from({ length: 2001 }, () => ({ startMs: 0, text: '' })) }, 'lines'],
    ['50,001 characters', { text: 'x'.repeat(50_001) }, 'text'],
    ['a null text', { text: null }, 'text'],
    [
      'lines in descending order',
      {
        lines: [
          { startMs: 5, text: '' },
          { startMs: 4, text: '' },
        ],
      },
      'lines.1.startMs',
    ],
    ['a line that ends when it starts', { lines: [{ startMs: 5, endMs: 5, text: '' }] }, 'lines.0.endMs'],
    ['a line of 1,001 characters', { lines: [{ startMs: 0, text: 'x'.repeat(1001) }] }, 'lines.0.text'],
    ['an invalid language tag', { text: 'x', language: 'English!' }, 'language'],
  ])('returns 400 for %s and changes nothing', async (_, body, issuePath) => {
    const { alice, path } = await track()
    const before = (await alice.put(path, { text: 'Before' })).body
    const response = await alice.put(path, body)
    expect(response.status).toBe(400)
    expect(response.body).toEqual(
      errorBody('validation_error', { issues: [{ path: issuePath, message: expect.any(String) }] }),
    )
    expect((await alice.get(path)).body).toEqual(before)
  })

  it('returns 400 for malformed JSON', async () => {
    const { alice, path } = await track()
    const response = await alice.put(path, '{"text":')
    expect(response.status).toBe(400)
    expect(response.body).toEqual({ error: 'invalid_json', message: expect.any(String) })
  })

  it('stores the complete lyrics of exactly one of several concurrent requests', async () => {
    const { alice, path } = await track()
    const texts = Array.from({ length: 6 }, (_, index) => `Take ${index}`)
    const responses = await Promise.all(
      texts.map((text) => alice.put(path, { text, lines: [{ startMs: 0, text }] })),
    )
    expect(responses.map(({ status }) => status)).toEqual(texts.map(() => 200))
    const { body } = await alice.get(path)
    expect(body.lines[0].text).toBe(body.text)
    expect(responses.map((response) => response.body)).toContainEqual(body)
    expect(responses.every((response) => response.body.updatedAt <= body.updatedAt)).toBe(true)
  })
})
