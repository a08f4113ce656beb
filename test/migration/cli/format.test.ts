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
  state,
  fixedHere: null,
  notes: [],
}
const list = (unknown: readonly string[]) =>
  formatList({
    epoch: 7,
    warnings: [],
    instances: {
      live: 1,
      adopted: 1,
      unknown: unknown.map((id, index) => ({ id, epoch: 7, lastReportAgeS: 40 + index })),
    },
    routes: [route],
    scopes: [],
    invalid: [],
  })

it('the list of routes names silent instances in one line', () => {
  expect(list(['a', 'b', 'c', 'd', 'e', 'f', 'g']).split('\n').at(-1)).toBe(
    '7 instances have not reported for 40 to 46 s: a, b, c, d, e and 2 more; they may still be running',
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
