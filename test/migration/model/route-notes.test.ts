import { describe, expect, it } from 'vitest'
import { listRouteNotes } from '#migration/model/route-notes.ts'
import { initialStateOf } from '#migration/model/route-state.ts'

const state = { ...initialStateOf('tracks.list'), stage: 'native', weightBp: 10_000 } as const
const route = {
  label: 'tracks.list',
  isTwoSided: true,
  hasHandler: true,
  missingSettings: null,
  state,
  hasFailedCode: false,
  killedBy: null,
  killedHere: null,
  heldBy: null,
  fixedHere: null,
  isStoppedHere: false,
  isPausedHere: false,
}
type Changes = Partial<Parameters<typeof listRouteNotes>[0]>

const list = (changes: Changes) => listRouteNotes({ ...route, ...changes }).map(({ text }) => text)

describe('the notes on a route', () => {
  it('mention a pause only if native would otherwise serve the route', () => {
    const shadow = { ...state, stage: 'shadow', weightBp: 0 } as const
    const canary = { stage: 'canary', weightBp: 100 } as const
    const served: readonly Changes[] = [{}, { state: shadow, fixedHere: canary }]
    for (const changes of served) expect(list({ isPausedHere: true, ...changes })).toContain('paused here')
    const unserved: readonly Changes[] = [
      { state: shadow },
      { fixedHere: { stage: 'proxy', weightBp: 0 } },
      { killedBy: '*' },
      { killedHere: 'tracks.*' },
      { hasHandler: false },
      { state: { ...state, stage: 'retired' } },
    ]
    for (const changes of unserved)
      expect(list({ isPausedHere: true, ...changes }), JSON.stringify(changes)).not.toContain('paused here')
  })

  it('say what applies to this instance only, and which scope is killed or held', () => {
    expect(list({ killedHere: 'tracks.*', killedBy: 'tracks.list' })).toEqual(['killed by GATEWAY_KILL'])
    expect(list({ killedBy: 'tracks.list', heldBy: 'tracks.list' })).toEqual(['killed', 'held'])
    expect(list({ killedBy: 'tracks.*', heldBy: '*' })).toEqual(['killed by tracks.*', 'held by *'])
    expect(list({ isStoppedHere: true, hasFailedCode: true })).toEqual(['stopped here'])
    expect(list({ hasFailedCode: true })).toEqual(['stopped'])
  })
})
