import { describe, expect, it } from 'vitest'
import { proxied, reportOf, to } from './report-inputs.ts'

const [first = 'tracks.list', second = 'tracks.list', third = 'tracks.list'] = proxied

describe("a month's list of moves", () => {
  it('has one row for each moved route, with its last step', () => {
    const { moves } = reportOf([
      ['2026-10-31T23:59:59Z', first, to('shadow')],
      ['2026-11-03T10:00:00Z', first, to('canary', 100)],
      ['2026-11-04T10:00:00Z', second, to('canary', 2500)],
      ['2026-11-05T10:00:00Z', first, to('native'), { who: 'auto', reason: 'the gate' }],
      ['2026-11-06T10:00:00Z', first, { mode: 'auto' }, { action: 'mode' }],
    ])
    const at = (day: string) => `${day}T10:00:00.000Z`
    expect(moves).toEqual([
      {
        label: second,
        from: 'proxy',
        to: 'canary at 25 %',
        at: at('2026-11-04'),
        who: 'alice',
        reason: 'a test',
        steps: 1,
      },
      {
        label: first,
        from: 'shadow',
        to: 'native',
        at: at('2026-11-05'),
        who: 'auto',
        reason: 'the gate',
        steps: 2,
      },
    ])
  })

  it('includes the stops with their reasons, and when a kill ended', () => {
    const { stops } = reportOf([
      ['2026-10-20T10:00:00Z', second, { killed: true }, { action: 'kill' }],
      ['2026-11-03T10:00:00Z', first, to('canary')],
      [
        '2026-11-04T10:00:00Z',
        first,
        to('proxy'),
        { action: 'rollback', who: 'auto', reason: 'native fails' },
      ],
      ['2026-11-05T10:00:00Z', third, { held: true }, { action: 'hold', who: 'auto', reason: 'the core' }],
      ['2026-11-06T10:00:00Z', second, { held: true }, { action: 'hold' }],
      ['2026-11-07T10:00:00Z', 'tracks.*', { killed: true }, { action: 'kill', reason: 'a deploy' }],
      ['2026-11-07T11:00:00Z', 'tracks.*', { killed: false }, { action: 'resume' }],
      ['2026-11-08T10:00:00Z', '*', { killed: true }, { action: 'kill', reason: 'everything' }],
    ])
    expect(
      stops.map(({ scope, action, from, to: reached, who, reason, resumedAt }) => [
        scope,
        action,
        from,
        reached,
        who,
        reason,
        resumedAt,
      ]),
    ).toEqual([
      [first, 'rollback', 'canary at 5 %', 'proxy', 'auto', 'native fails', null],
      [third, 'hold', 'proxy', 'proxy', 'auto', 'the core', null],
      ['tracks.*', 'kill', '', '', 'alice', 'a deploy', '2026-11-07T11:00:00.000Z'],
      ['*', 'kill', '', '', 'alice', 'everything', null],
    ])
  })

  it('does not say when a kill ended if it ended in a later month', () => {
    const steps = [
      ['2026-10-30T10:00:00Z', first, { killed: true }, { action: 'kill' }],
      ['2026-11-02T10:00:00Z', first, { killed: false }, { action: 'resume' }],
    ] as const
    expect(reportOf(steps, { month: '2026-10' }).stops.map(({ resumedAt }) => resumedAt)).toEqual([null])
    expect(reportOf(steps).stops).toEqual([])
  })
})
