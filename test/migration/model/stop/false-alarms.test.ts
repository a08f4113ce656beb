import { describe, expect, it } from 'vitest'
import {
  type FleetObservations,
  noFleetObservations,
  observeFleet,
} from '#migration/model/stop/fleet-stop.ts'
import { createRandom } from '#test/support/random.ts'
import {
  canary,
  countUntilAlarm,
  createFull,
  createMonitor,
  full,
  simulate,
  usualBehaviour,
} from './simulate.ts'
import { createClients, runClients } from './simulate-clients.ts'
import { createFleet } from './simulate-fleet.ts'
import { countStops, runSides } from './simulate-sides.ts'

const never = Number.POSITIVE_INFINITY
const timeout = 300_000

describe('errors and slow responses at half the acceptable rate', () => {
  const rates = { errors: 0.0005, slow: 0.03 }

  it.each([
    ['a canary', () => createMonitor(canary), 1],
    ['a route that native serves alone', createFull, 0],
  ] as const)('stop nothing in 1,000,000 requests of %s', { timeout }, (_, create, core) => {
    const runs = simulate(2, (random) =>
      countUntilAlarm(create(), random, { ...rates, core, limit: 1_000_000 }),
    )
    expect(runs).toEqual([never, never])
  })

  it.each([
    ['canary', 'some'],
    ['route that native serves alone', 'all'],
  ] as const)(
    'stop nothing in 1,000,000 requests of a %s, summed over a fleet',
    { timeout },
    (_, nativeTraffic) => {
      const label = 'libraries.detail'
      const random = createRandom(1)
      const counted = (requests: number) => {
        const counts = { requests, errors: 0, sharedErrors: 0, lateErrors: 0, timed: 0, slow: 0 }
        for (let count = 0; count < requests; count += 1) {
          if (random() < rates.errors) counts.errors += 1
          else {
            counts.timed += 1
            if (random() < rates.slow) counts.slow += 1
          }
        }
        return counts
      }
      let observed: FleetObservations = noFleetObservations()
      for (let evaluation = 0; evaluation < 5000; evaluation += 1) {
        const report = {
          version: 1,
          epoch: 1,
          evidenceKey: 'key',
          native: counted(200),
          core: counted(nativeTraffic === 'some' ? 200 : 0),
          goodErrorRate: 0.001,
          isSelfCompared: false,
          requestsPerDay: 1_000_000,
          usual: { core: usualBehaviour, native: usualBehaviour },
        }
        const { alarms, ...after } = observeFleet(
          observed,
          new Map([[label, [report]] as const]),
          1,
          evaluation * 5000,
        )
        expect(alarms).toEqual([])
        observed = after
      }
    },
  )
})

describe('a slowdown of all routes', () => {
  const equal = Array.from({ length: 20 }, () => 1)
  const dominated = equal.map((_, route) => (route === 0 ? 171 : 1))
  const uneven = equal.map((_, route) => 1 / (route + 1))

  it.each([
    ['20 routes with equal traffic', equal, full],
    ['one route that has 90 % of the traffic', dominated, full],
    ['routes with very uneven traffic', uneven, full],
    ['canaries whose core is slow as well', equal, canary],
  ] as const)('stops nothing if it slows %s 20-fold for ten minutes', { timeout }, (_, weights, step) => {
    for (let seed = 1; seed <= 50; seed += 1) {
      const { serve } = createFleet(createRandom(seed), weights, { step })
      const alarms = [serve(60), serve(600, () => 20), serve(300)]
      expect(alarms, `seed ${seed}`).toEqual([[], [], []])
      // Afterwards, a handler that is really slow is still detected.
      const slowRoute = serve(300, (route, side) => (route === 0 && side === 'native' ? 20 : 1))
      expect(slowRoute, `seed ${seed}`).not.toEqual([])
    }
  })
})

describe('a core that has the same problem as native', () => {
  const runs = 500
  const requests = 1000
  // Fewer than one run in 100 may be stopped by chance.
  const mostStops = runs / 100 - 1

  it.each([
    [0.2, 0.3],
    [0.2, 1],
    [0.5, 1],
    [2, 0.3],
    [5, 0.3],
    [5, 1],
    [100, 0.3],
    [100, 1],
  ])(
    'stops no route that serves %f requests per second if a share of %f of the responses is slow',
    { timeout },
    (perSecond, slow) => {
      const side = { perSecond, slow }
      expect(countStops(runs, { native: side, core: side, requests })).toBeLessThanOrEqual(mostStops)
    },
  )

  it.each([
    [10, 0.2],
    [0.2, 2],
  ])(
    'stops no route that serves %f requests per second beside a core that serves %f',
    { timeout },
    (own, core) => {
      for (const slow of [0.3, 1]) {
        const sides = { native: { perSecond: own, slow }, core: { perSecond: core, slow }, requests: 500 }
        expect(countStops(runs, sides), `${slow} are slow`).toBeLessThanOrEqual(mostStops)
      }
    },
  )

  it.each([0, 100, 900, 1100])(
    'stops no route that fails as often as the core, after %i earlier requests to the core',
    { timeout },
    (known) => {
      for (const perSecond of [1 / 90, 0.2, 5]) {
        const side = { perSecond, errors: 0.03 }
        const stops = countStops(runs, { native: side, core: side, requests: 500, known })
        expect(stops, `${perSecond} per second`).toBeLessThanOrEqual(mostStops)
      }
    },
  )

  it('does not hide a handler that is slow in 30 % of its responses or always fails', { timeout }, () => {
    for (const perSecond of [0.2, 5, 100]) {
      const core = { perSecond, slow: 0.05 }
      const within = (limit: number, native: { slow?: number; errors?: number }) =>
        Array.from({ length: 200 }, (_, seed) =>
          runSides(seed, { native: { perSecond, ...native }, core, requests: limit }),
        ).filter((count) => count <= limit).length
      expect(within(200, { slow: 0.3 })).toBeGreaterThanOrEqual(190)
      expect(within(10, { errors: 1 })).toBe(200)
    }
  })
})

describe('clients that both sides reject equally often', () => {
  const steps = [0.01, 0.25, 0.9, 1]
  const populations = [false, true].flatMap((isUneven) =>
    [0, 0.05, 0.2].flatMap((stubborn) => [0.002, 0.05].map((rejected) => ({ isUneven, stubborn, rejected }))),
  )

  it.each(populations)('stop nothing in two hours with 200 clients: %o', { timeout }, (population) => {
    const clients = createClients(200, population)
    for (const native of steps)
      for (let seed = 1; seed <= 20; seed += 1)
        expect(
          runClients(seed, { clients, native, perSecond: 5, seconds: 7200 }),
          `${native} native, seed ${seed}`,
        ).toBe(never)
  })

  it('stop nothing in half an hour with 2,000 clients and 100 requests per second', { timeout }, () => {
    const clients = createClients(2000, { isUneven: true, stubborn: 0.05, rejected: 0.02 })
    for (const native of steps)
      for (let seed = 1; seed <= 3; seed += 1)
        expect(
          runClients(seed, { clients, native, perSecond: 100, known: 600, seconds: 1800 }),
          `${native} native, seed ${seed}`,
        ).toBe(never)
  })
})
