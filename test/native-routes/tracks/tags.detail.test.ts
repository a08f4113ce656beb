import { describe, expect, it } from 'vitest'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { insertTag } from '#test/support/track-fixtures.ts'

describe('tracks.tags.detail', () => {
  const gateway = startTestGateway()

  const taggedTrack = async (...tags: Parameters<typeof insertTag>[2][]) => {
    const { sql } = gateway.database
    const alice = await gateway.signUp()
    const trackId = await insertTrackOf(sql, alice.accountId)
    for (const tag of tags) await insertTag(sql, trackId, tag)
    return { alice, trackId, path: `/v1/tracks/${trackId}/tags` }
  }

  it('returns the tags with their source and confidence', async () => {
    const { alice, trackId, path } = await taggedTrack({
      category: 'bpm',
      value: '120',
      label: '120 BPM',
      numeric_value: 120.5,
      confidence: 0.875,
      source: 'file',
    })
    const response = await alice.get(path)
    expect(response.status).toBe(200)
    const [tag] = response.body.tags
    expect(response.body).toEqual({ trackId, tags: [tag], updatedAt: tag.updatedAt })
    expect(tag).toEqual({
      id: expect.any(String),
      category: 'bpm',
      value: '120',
      label: '120 BPM',
      numericValue: 120.5,
      confidence: 0.875,
      source: 'file',
      hidden: false,
      createdAt: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/),
      updatedAt: tag.createdAt,
    })
  })

  it('returns an empty list for a track without tags', async () => {
    const { alice, trackId, path } = await taggedTrack()
    expect((await alice.get(path)).body).toEqual({ trackId, tags: [], updatedAt: null })
  })

  it('sorts by category, by source (owner’s tags first), by descending confidence and by id', async () => {
    const { alice, path } = await taggedTrack(
      { category: 'mood', value: 'calm', confidence: 0.4 },
      { category: 'genre', value: 'written', source: 'user' },
      { category: 'genre', value: 'unsure', confidence: 0.1 },
      { category: 'genre', value: 'sure', confidence: 0.9 },
      { category: 'genre', value: 'as sure', confidence: 0.9 },
    )
    const { tags } = (await alice.get(path)).body
    expect(tags.map(({ category, confidence }: Record<string, unknown>) => [category, confidence])).toEqual([
      ['genre', null],
      ['genre', 0.9],
      ['genre', 0.9],
      ['genre', 0.1],
      ['mood', 0.4],
    ])
    expect(tags[1].id < tags[2].id).toBe(true)
  })

  it.each([
    ['', ['shown']],
    ['?includeHidden=false', ['shown']],
    ['?includeHidden=true', ['hidden', 'shown']],
    ['?includeHidden=true&includeHidden=false', ['hidden', 'shown']],
  ])('includes hidden tags only on request (query "%s")', async (query, values) => {
    const { alice, path } = await taggedTrack({ value: 'shown' }, { value: 'hidden', hidden: true })
    const { tags } = (await alice.get(path + query)).body
    expect(tags.map(({ value }: { value: string }) => value).sort()).toEqual(values)
  })

  it('changes updatedAt when a tag is hidden', async () => {
    const { alice, trackId, path } = await taggedTrack({})
    const hiddenAt = '2030-01-01T00:00:00.000Z'
    await gateway.database.sql`
      update track_tags set hidden = true, updated_at = ${hiddenAt} where track_id = ${trackId}`
    expect((await alice.get(path)).body).toEqual({ trackId, tags: [], updatedAt: hiddenAt })
  })

  it.each(['TRUE', '1', 'yes', ''])('returns 400 for includeHidden=%s', async (value) => {
    const { alice, path } = await taggedTrack()
    const response = await alice.get(`${path}?includeHidden=${value}`)
    expect(response.status).toBe(400)
    expect(response.body).toMatchObject({ error: 'validation_error', issues: [{ path: 'includeHidden' }] })
  })
})
