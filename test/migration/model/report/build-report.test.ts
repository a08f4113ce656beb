import { describe, expect, it } from 'vitest'
import { labels } from '#contracts/shared/row.ts'
import { countsOf, nativeByCode, nativeOnly, proxied, reportOf, to } from './report-inputs.ts'

const [first = 'tracks.list', second = 'tracks.list'] = proxied
const [byCode = 'libraries.list'] = nativeByCode
const unmoved = {
  'native-only': nativeOnly.length,
  'native-by-code': nativeByCode.length,
  proxy: proxied.length,
}

describe("the report's row counts", () => {
  it('match the route table before any change', () => {
    const { rows, summary, days, moves, stops } = reportOf([])
    expect([rows, countsOf(summary), summary.held]).toEqual([labels.length, unmoved, 0])
    expect([days.length, days[0]?.day, days.at(-1)?.day]).toEqual([25, '2026-11-01', '2026-11-25'])
    expect(days.map(countsOf)).toEqual(Array.from({ length: 25 }, () => unmoved))
    expect([moves, stops]).toEqual([[], []])
  })

  it('show the states at the end of each day', () => {
    const { days } = reportOf([
      ['2026-11-03T00:00:00Z', first, to('shadow')],
      ['2026-11-03T23:59:59.999Z', first, to('canary')],
      ['2026-11-04T00:00:00Z', first, to('native')],
    ])
    expect(days.slice(1, 4).map(countsOf)).toEqual([
      unmoved,
      { ...unmoved, proxy: unmoved.proxy - 1, canary: 1 },
      { ...unmoved, proxy: unmoved.proxy - 1, native: 1 },
    ])
  })

  it('show a killed route, or one in a killed area, as killed, whatever its stage', () => {
    const { days, summary } = reportOf([
      ['2026-11-02T10:00:00Z', first, to('native')],
      ['2026-11-03T10:00:00Z', '*', { killed: true }, { action: 'kill' }],
      ['2026-11-05T10:00:00Z', '*', { killed: false }, { action: 'resume' }],
    ])
    expect(countsOf(days[3] ?? { states: [], held: 0 })).toEqual({
      'native-only': nativeOnly.length,
      killed: labels.length - nativeOnly.length,
    })
    expect(countsOf(summary)).toEqual({ ...unmoved, proxy: unmoved.proxy - 1, native: 1 })
  })

  it('list routes that the route table makes native separately until a change moves them', () => {
    const held = reportOf([['2026-11-02T10:00:00Z', byCode, { held: true }, { action: 'hold' }]])
    expect([countsOf(held.summary), held.summary.held]).toEqual([unmoved, 1])
    const returned = reportOf([
      ['2026-11-02T10:00:00Z', byCode, to('shadow')],
      ['2026-11-03T10:00:00Z', byCode, to('native')],
    ])
    expect(countsOf(returned.summary)).toEqual({
      ...unmoved,
      'native-by-code': nativeByCode.length - 1,
      native: 1,
    })
  })

  it('show a route as retired only once it is retired for good, not during a drill', () => {
    const drill = { ...to('retired'), drillUntil: '2026-11-05T11:00:00Z' }
    const { days, moves } = reportOf([
      ['2026-11-04T10:00:00Z', byCode, drill, { action: 'retire' }],
      ['2026-11-05T11:00:00Z', byCode, { ...to('native'), drillUntil: null }, { action: 'end-drill' }],
      ['2026-11-20T10:00:00Z', byCode, to('retired'), { action: 'retire' }],
      ['2026-11-21T10:00:00Z', nativeByCode[1] ?? byCode, drill, { action: 'retire' }],
    ])
    expect([4, 20].map((day) => countsOf(days[day - 1] ?? { states: [], held: 0 }))).toEqual([
      unmoved,
      { ...unmoved, 'native-by-code': nativeByCode.length - 1, retired: 1 },
    ])
    expect(countsOf(days.at(-1) ?? { states: [], held: 0 }).retired).toBe(1)
    expect(moves.map(({ label, from, to: reached }) => [label, from, reached])).toEqual([
      [byCode, 'native', 'retired'],
    ])
  })

  it('show the state at the end of a past month, without later changes', () => {
    const steps = [
      ['2026-10-20T10:00:00Z', first, to('shadow')],
      ['2026-11-02T10:00:00Z', first, to('native')],
      ['2026-11-03T10:00:00Z', second, { held: true }],
    ] as const
    const { days, summary, reportTime, moves } = reportOf(steps, { month: '2026-10' })
    expect([days.length, reportTime, summary.held]).toEqual([31, '2026-10-31T23:59:59.999Z', 0])
    expect(countsOf(summary)).toEqual({ ...unmoved, proxy: unmoved.proxy - 1, shadow: 1 })
    expect(moves.map(({ label, from, to: reached }) => [label, from, reached])).toEqual([
      [first, 'proxy', 'shadow'],
    ])
  })

  it('show that nothing is left once native serves every row', () => {
    const { remaining, sentences } = reportOf(
      proxied.map((label) => ['2026-11-02T10:00:00Z', label, to('native')] as const),
    )
    expect(remaining.rows).toBe(0)
    expect(sentences.summary[0]).toBe(`Native serves all ${labels.length} routes.`)
  })

  it('ignore audit entries that this version cannot read, and name the states it cannot read', () => {
    const entry = { at: '2026-11-03T10:00:00Z', who: 'alice', action: 'ramp', reason: '', epoch: 3 }
    const state = { stage: 'teleported', weightBp: 1, killed: false, held: false }
    const report = reportOf([], {
      audit: [
        { ...entry, scope: first, before: state, after: state },
        { ...entry, scope: 'of.another.version', before: null, after: null },
      ],
    })
    expect([report.moves, countsOf(report.summary)]).toEqual([[], unmoved])
    expect(reportOf([], { unreadable: [first] }).sentences.limits[0]).toBe(
      `This version of Crossfade cannot read the stored state of ${first}, so it is counted as never changed.`,
    )
  })
})
