import { describe, expect, it } from 'vitest'
import { record as recordOnPack } from '#contracts/pack-links.share-events.ts'
import { record as recordOnTrack } from '#contracts/public.track-links.share-events.ts'
import { issuePaths } from './inputs.ts'

describe('ShareEvent', () => {
  it('fills an empty body with defaults', () => {
    expect(recordOnPack.body.parse({})).toEqual({ eventType: 'shared', source: 'pack_link' })
    expect(recordOnTrack.body.parse({})).toEqual({ eventType: 'shared', source: 'pack_link' })
  })

  it('accepts a track id for a pack link and ignores it for a track link', () => {
    const event = {
      eventType: 'progress',
      channel: 'embed',
      trackId: 't1',
      positionMs: 0,
      durationMs: 1,
      more: true,
    }
    expect(recordOnPack.body.parse(event)).toMatchObject({ trackId: 't1', channel: 'embed' })
    expect(recordOnTrack.body.parse({ ...event, trackId: 7 })).not.toHaveProperty('trackId')
  })

  it('truncates a long visitor id, and treats an empty session or source as absent', () => {
    const event = { visitorId: ` ${'v'.repeat(200)}`, sessionId: '', source: ' ' }
    expect(recordOnTrack.body.parse(event)).toEqual({
      eventType: 'shared',
      visitorId: 'v'.repeat(120),
      sessionId: undefined,
      source: 'pack_link',
    })
  })

  it.each([
    { visitorId: 7 },
    { sessionId: null },
    { source: ['pack_link'] },
    { eventType: 'bought' },
    { channel: 'fax' },
    { positionMs: -1 },
    { positionMs: 1.5 },
    { durationMs: 0 },
    { trackId: '../t1' },
  ])('rejects %j', (event) => {
    expect(issuePaths(recordOnPack.body, event)).toEqual(Object.keys(event))
  })
})
