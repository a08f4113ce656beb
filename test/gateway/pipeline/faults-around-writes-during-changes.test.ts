import { describe, expect, it } from 'vitest'
import { countCases } from '#test/support/count-cases.ts'
import { createRandom } from '#test/support/random.ts'
import { startFaultyInstances } from './faults/faulty-instances.ts'
import { createFaults } from './faults/inject-faults.ts'
import { startChanges } from './faults/route-changes.ts'
import { expectAppliedOnce, listMissing, writeUntil } from './faults/write-until.ts'

const wantedFaults = countCases(10_000, 0.03)
// The test fails if some kind of change still has not happened after this many faults.
const maxFaults = wantedFaults + 3000
const accountCount = 24

// Seeded, so a failed run can be repeated: FAULT_SEED=... npx vitest run test/gateway/pipeline/faults-around-writes
const seed = Number(process.env.FAULT_SEED ?? Date.now() % 1_000_000)
const random = createRandom(seed)

const outcomes = ['native 201', 'native 500', 'fallback 200', 'proxy 200', 'proxy 502']

describe('a write with injected faults on two instances whose routing state changes', () => {
  // The core fails less often than native; otherwise native would not be stopped. Connections do not stall, because a
  // rollback on a stalled connection would hold up all other changes for seconds.
  const faults = createFaults({ random, coreFaultRate: 0.2, stallRate: 0 })
  const target = startFaultyInstances({ faults, isPaused: () => random() < 0.05 })
  const countLines = (message: string) => target.log.lines.filter((line) => line.message === message).length

  it(`is applied by native or by the core, never by both (FAULT_SEED=${seed})`, {
    timeout: 360_000,
  }, async () => {
    const accounts = await Promise.all(Array.from({ length: accountCount }, () => target.healthy.signUp()))
    const accountIds = accounts.map(({ accountId }) => accountId)
    const changes = startChanges({ target, accountIds, random })
    const listUnchanged = () =>
      Object.entries({ ...changes.counts, rollbacks: countLines('native route rolled back') })
        .filter(([, count]) => count === 0)
        .map(([kind]) => kind)
    const isDone = () =>
      !changes.isRunning() ||
      faults.countAll() >= maxFaults ||
      (faults.countAll() >= wantedFaults && listUnchanged().length === 0)

    faults.enable()
    const results = await writeUntil({ target, accounts, random, isDone })
    faults.disable()
    await changes.stop()

    const applied = await expectAppliedOnce(target, results)
    // The run is meaningful only if both sides served many writes and the state changed in every way.
    expect(Math.min(applied.native, applied.core)).toBeGreaterThan(results.size / 50)
    expect(listMissing(results, outcomes)).toEqual([])
    expect(listUnchanged()).toEqual([])
    expect(countLines('routing state adopted')).toBeGreaterThan(changes.counts.ramps)
    expect(faults.countAll()).toBeGreaterThanOrEqual(wantedFaults)
  })
})
