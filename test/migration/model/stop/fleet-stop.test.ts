import { describe, expect, it } from 'vitest'
import {
  type FleetObservations,
  noFleetObservations,
  observeFleet,
} from '#migration/model/stop/fleet-stop.ts'
import type { MonitorDelta } from '#migration/model/stop/stored-observations.ts'
import { usualBehaviour } from './simulate.ts'

const label = 'libraries.detail'
const other = 'libraries.list'

const counts = (requests: number, { errors = 0, slow = 0 } = {}) => ({
  requests,
  errors,
  sharedErrors: 0,
  lateErrors: 0,
  timed: requests - errors,
  slow,
})

const report = (evidenceKey: string, native: MonitorDelta['native'], core = counts(0)): MonitorDelta => ({
  version: 1,
  epoch: 1,
  evidenceKey,
  native,
  core,
  goodErrorRate: 0.001,
  isSelfCompared: false,
  requestsPerDay: 1000,
  usual: { core: usualBehaviour, native: usualBehaviour },
})

/** Evaluates reports every five seconds. Returns all alarms, and the observations after the last evaluation. */
const evaluate = (rounds: number, reportsOf: (round: number) => readonly MonitorDelta[]) => {
  let observed: FleetObservations = noFleetObservations()
  const alarms: unknown[] = []
  for (let round = 0; round < rounds; round += 1) {
    const reports = new Map([
      [label, reportsOf(round)],
      [other, [report('other', counts(100, { slow: 3 }))]],
    ] as const)
    const evaluation = observeFleet(observed, reports, 1, 5000 * round)
    alarms.push(...evaluation.alarms)
    observed = evaluation
  }
  return { alarms, observed }
}

describe('the observations of a fleet', () => {
  it.each([
    ['errors', { errors: 2 }],
    ['slowness', { slow: 8 }],
  ] as const)(
    "raise an alarm about %s for the code that causes it, not for other instances' code",
    (cause, bad) => {
      const { alarms } = evaluate(20, () => [
        report('good', counts(80, { slow: 2 })),
        report('bad', counts(20, bad)),
      ])
      expect(new Set(alarms.map((alarm) => JSON.stringify(alarm)))).toEqual(
        new Set([JSON.stringify({ label, version: 1, cause, evidenceKey: 'bad' })]),
      )
    },
  )

  it('compare each version of the code with the core requests of all instances', () => {
    const reports = [
      report('good', counts(80), counts(80, { errors: 40 })),
      report('bad', counts(20, { errors: 15 })),
    ]
    expect(evaluate(20, () => reports).alarms).toEqual([])
  })

  it('do not add up the failures of different versions of the code', () => {
    const keys = ['a', 'b', 'c', 'd']
    const { alarms } = evaluate(1, () => keys.map((key) => report(key, counts(10, { errors: 2 }))))
    expect(alarms).toEqual([])
    expect(evaluate(1, () => keys.map(() => report('a', counts(10, { errors: 2 })))).alarms).not.toEqual([])
  })

  it('keep the four versions of the code that were reported last', () => {
    const { observed } = evaluate(6, (round) => [report(`key-${round}`, counts(10))])
    expect(observed.routes.get(label)?.codes.map(({ evidenceKey }) => evidenceKey)).toEqual([
      'key-5',
      'key-4',
      'key-3',
      'key-2',
    ])
  })

  it("ignore reports from before a restore, whose epochs are higher than the database's", () => {
    const before = { ...report('key', counts(10)), version: 30, epoch: 9 }
    const reports = new Map([[label, [before, report('key', counts(10, { errors: 10 }))]]] as const)
    const { alarms } = observeFleet(noFleetObservations(), reports, 3, 0)
    expect(alarms).toEqual([{ label, version: 1, cause: 'errors', evidenceKey: 'key' }])
  })
})
