import { describe, expect, it } from 'vitest'
import { formatChange, formatList } from '#migration/cli/format.ts'

const state = {
  scope: 'tracks.list',
  stage: 'native',
  weightBp: 10_000,
  killed: false,
  held: false,
  mode: 'observe',
  drillUntil: null,
  version: 1,
}
const route = {
  label: 'tracks.list',
  effects: 'none',
  isTwoSided: true,
  hasHandler: true,
  state,
  killedBy: null,
  heldBy: null,
  missingSettings: null,
  killedHere: null,
  fixedHere: null,
  isStoppedHere: false,
  isPausedHere: true,
}
const list = (changes: object, unknown: readonly string[] = []) =>
  formatList({
    epoch: 7,
    warnings: [],
    instances: {
      live: 1,
      adopted: 1,
      unknown: unknown.map((id, index) => ({ id, epoch: 7, lastReportAgeS: 40 + index })),
    },
    routes: [{ ...route, ...changes }],
    scopes: [],
    invalid: [],
  })

describe('the list of routes', () => {
  it('shows a pause only where native would otherwise serve the route', () => {
    const shadow = { ...state, stage: 'shadow', weightBp: 0 }
    const canary = { stage: 'canary', weightBp: 100 }
    for (const changes of [{}, { state: shadow, fixedHere: canary }])
      expect(list(changes)).toContain('paused here')
    for (const changes of [
      { state: shadow },
      { fixedHere: { stage: 'proxy', weightBp: 0 } },
      { killedBy: '*' },
      { killedHere: 'tracks.*' },
      { hasHandler: false },
      { state: { ...state, stage: 'retired' } },
    ])
      expect(list(changes), JSON.stringify(changes)).not.toContain('paused here')
  })
})

it('the list of routes names silent instances in one line', () => {
  expect(list({}, ['a', 'b', 'c', 'd', 'e', 'f', 'g']).split('\n').at(-1)).toBe(
    '7 instances have not reported for 40 to 46 s: a, b, c, d, e and 2 more; they may still run',
  )
})

describe('the response to a change', () => {
  it('is printed with its warnings, in lines of at most 100 columns', () => {
    const text = formatChange({
      state,
      demoted: [],
      warnings: ['Code k1 '.repeat(15).trim()],
      epoch: 7,
      adoption: { instances: 1, adopted: 1, ms: 20, missing: [], unknown: [] },
    })
    expect(text).toMatch(
      /^tracks\.list: native \(version 1\)\nwarning: Code k1 .*\n {2}.*\napplied on 1 of 1 instance in 20 ms$/,
    )
  })
})
