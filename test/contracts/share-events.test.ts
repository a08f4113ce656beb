import { describe, expect, it } from 'vitest'
import { record as recordOnPack } from '#contracts/pack-links.share-events.ts'
import { record as recordOnTrack } from '#contracts/public.track-links.share-events.ts'
import { faultPaths } from './inputs.ts'

describe('a share event', () => {
  it('is complete when it says nothing', () => {
    expect(recordOnPack.body.parse({})).toEqual({ eventType: 'shared', source: 'pack_link' })
    expect(recordOnTrack.body.parse({})).toEqual({ eventType: 'shared', source: 'pack_link' })
  })

  it('may name a track of a pack, and of a track link it is not read', () => {
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

  it('cuts what identifies a visitor', () => {
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
  ])('%j is refused', (event) => {
    expect(faultPaths(recordOnPack.body, event)).toEqual(Object.keys(event))
  })
})
