import { describe, expect, it } from 'vitest'
import { findRoutingEpoch } from '#db/queries/routing/route-states.ts'
import { waitForAdoption } from '#migration/api/instances.ts'
import { countCases } from '#test/support/count-cases.ts'
import { createRandom } from '#test/support/random.ts'
import { storeRouteState } from '#test/support/routing.ts'
import { startFaultyInstances } from './faults/faulty-instances.ts'
import { createFaults } from './faults/inject-faults.ts'
import { signUpSides } from './faults/sign-up-sides.ts'
import { expectAppliedOnce, listMissing, type WriteResult, writeUntil } from './faults/write-until.ts'

// The number of faults injected in each state. The three canary weights share this number, because the weight does not
// matter once a request's side is decided.
const faultsOfState = 10_000
// The test fails if an outcome is still missing after this many more faults.
const maxMoreFaults = 2000

// Seeded, so a failed run can be repeated: FAULT_SEED=... npx vitest run test/gateway/pipeline/faults-around-writes
const seed = Number(process.env.FAULT_SEED ?? Date.now() % 1_000_000)
const random = createRandom(seed)

const ofNative = ['native 201', 'native 500', 'native 501', 'native 503']
const ofBothSides = [...ofNative, 'fallback 200', 'proxy 200', 'proxy 502', 'proxy 503', 'null aborted']

const sideOf = ({ runtime, fellBack }: WriteResult) => (runtime === 'native' || fellBack ? 'native' : 'core')

describe('a write with thousands of injected faults', () => {
  const faults = createFaults({ random, coreFaultRate: 0.5, stallRate: 0.0005 })
  const target = startFaultyInstances({ faults, isPaused: () => false })

  // Holds the route, so that the monitor of failing routes does not change its state.
  const adopt = async (state: string, weightBp: number) => {
    const { database } = target.healthy
    await database.sql`delete from account_override`
    const accounts = await signUpSides(target.healthy, { state, weightBp })
    await storeRouteState(database, { scope: 'libraries.create', state, weightBp, held: true })
    const epoch = await findRoutingEpoch(database.db)
    expect(await waitForAdoption(database.db, epoch, 10_000)).toMatchObject({ instances: 3, missing: [] })
    return accounts
  }

  it.each([
    ['proxy', 0, 1, ofBothSides],
    ['canary', 1, 1 / 3, ofBothSides],
    ['canary', 5000, 1 / 3, ofBothSides],
    ['canary', 9999, 1 / 3, ofBothSides],
    ['native', 10_000, 1, ofBothSides],
    ['retired', 10_000, 1, ofNative],
  ])(
    `is applied once, by the side that serves its account, in the state %s at weight %i (FAULT_SEED=${seed})`,
    {
      timeout: 360_000,
    },
    async (state, weightBp, shareOfFaults, outcomes) => {
      const wantedFaults = countCases(faultsOfState * shareOfFaults, 0.006)
      const accounts = await adopt(state, weightBp)
      faults.enable()
      const results = await writeUntil({
        target,
        accounts,
        random,
        isDone: (written) =>
          faults.countAll() >= wantedFaults + maxMoreFaults ||
          (faults.countAll() >= wantedFaults && listMissing(written, outcomes).length === 0),
      })
      faults.disable()

      const applied = await expectAppliedOnce(target, results)
      const sides = new Map(accounts.map(({ accountId, side }) => [accountId, side]))
      const misrouted = [...results.values()].filter(
        (result) => result.status !== null && sideOf(result) !== sides.get(result.accountId),
      )
      expect(misrouted).toEqual([])
      if (state === 'retired') expect(applied.core).toBe(0)
      // The run is meaningful only if every outcome occurred and enough of the faults hit native.
      expect(listMissing(results, outcomes)).toEqual([])
      expect(faults.counts.handler + faults.counts.database).toBeGreaterThan(wantedFaults / 4)
      expect(faults.countAll()).toBeGreaterThanOrEqual(wantedFaults)
    },
  )
})
