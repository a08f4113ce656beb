import { randomUUID } from 'node:crypto'
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
  return { alice, trackId, tags: `/v1/tracks/${trackId}/tags` }
}

const storeTag = (trackId: string, tag: Record<string, unknown>) => core.sql`
  insert into track_tags ${core.sql({ id: randomUUID(), track_id: trackId, category: 'genre', value: 'ambient', label: 'Ambient', source: 'ai', ...tag })}`

describe('tracks.tags.detail', () => {
  it('returns an empty document for a track without tags', async () => {
    const { alice, trackId, tags } = await createTrack()
    expect((await alice.get(tags)).body).toEqual({ trackId, tags: [], updatedAt: null })
  })

  it('sorts by category, then by confidence', async () => {
    const { alice, trackId, tags } = await createTrack()
    await storeTag(trackId, { category: 'mood', value: 'calm', confidence: 0.5 })
    await storeTag(trackId, { value: 'folk', confidence: 0.2 })
    await storeTag(trackId, { value: 'ambient', confidence: 0.9 })
    await storeTag(trackId, {
      category: 'bpm',
      value: '92',
      label: '92 BPM',
      numeric_value: 92,
      source: 'user',
    })
    const { body } = await alice.get(tags)
    expect(body.tags.map((tag: { value: string }) => tag.value)).toEqual(['92', 'ambient', 'folk', 'calm'])
    expect(body.tags[0]).toEqual({
      id: expect.any(String),
      category: 'bpm',
      value: '92',
      label: '92 BPM',
      numericValue: 92,
      confidence: null,
      source: 'user',
      hidden: false,
      createdAt: expect.stringMatching(timestamp),
      updatedAt: expect.stringMatching(timestamp),
    })
  })

  it('returns the time of the last change', async () => {
    const { alice, trackId, tags } = await createTrack()
    await storeTag(trackId, { value: 'a', updated_at: '2025-02-01T00:00:00Z' })
    await storeTag(trackId, { value: 'b', updated_at: '2025-03-01T00:00:00Z' })
    await storeTag(trackId, { value: 'c', updated_at: '2025-01-01T00:00:00Z' })
    expect((await alice.get(tags)).body.updatedAt).toBe('2025-03-01T00:00:00.000Z')
  })

  it.each([
    ['', ['shown']],
    ['?includeHidden=false', ['shown']],
    ['?includeHidden=true', ['hidden', 'shown']],
    ['?includeHidden=true&includeHidden=maybe', ['hidden', 'shown']],
  ])('returns hidden tags only with includeHidden=true: %j', async (query, values) => {
    const { alice, trackId, tags } = await createTrack()
    await storeTag(trackId, { value: 'hidden', hidden: true, confidence: 0.9 })
    await storeTag(trackId, { value: 'shown', confidence: 0.1 })
    const { body } = await alice.get(tags + query)
    expect(body.tags.map((tag: { value: string }) => tag.value)).toEqual(values)
  })

  it.each(['includeHidden=1', 'includeHidden=', 'includeHidden=TRUE'])('rejects ?%s', async (query) => {
    const { alice, tags } = await createTrack()
    expect(invalidPaths(await alice.get(`${tags}?${query}`))).toEqual(['includeHidden'])
  })
})
