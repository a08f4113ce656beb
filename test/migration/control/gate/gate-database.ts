import { afterAll, beforeAll } from 'vitest'
import { saveContractResults } from '#db/queries/evidence/contract-results.ts'
import { type ComparedDay, saveEvidenceCounts } from '#db/queries/evidence/evidence-counts.ts'
import { upsertInstance } from '#db/queries/routing/gateway-instances.ts'
import { findRoutingEpoch, listRouteStates } from '#db/queries/routing/route-states.ts'
import { saveRouteUsage } from '#db/queries/routing/route-usage.ts'
import { changeRouteState } from '#migration/control/change-route-state.ts'
import { evaluateFleet } from '#migration/control/fleet-monitor.ts'
import { addNewComparisons } from '#migration/control/gate/evidence-sets.ts'
import { evaluateGates } from '#migration/control/gate/promote-routes.ts'
import { createNativeGuard } from '#migration/control/guard.ts'
import type { RouteChange } from '#migration/model/apply-change.ts'
import { hashAccount } from '#migration/model/gate/account-sample.ts'
import { noComparisonSums } from '#migration/model/gate/comparison-sums.ts'
import { defaultGateLimits } from '#migration/model/gate/gate-input.ts'
import { unmeasuredDatabase } from '#migration/model/stop/database-health.ts'
import { observedStepsOf } from '#migration/model/stop/observed-step.ts'
import { parseRouteStates } from '#migration/model/stored-state.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { settledByNative } from '#test/support/settled.ts'

export const label = 'tracks.list'
export const evidenceKey = '1'.padStart(32, '0')
export const evidenceKeys = new Map([[label, evidenceKey] as const])
/** Steps take milliseconds instead of minutes. */
export const limits = { ...defaultGateLimits, minStepMs: 100 }

export const accounts = Array.from({ length: 30 }, (_, index) =>
  hashAccount('secret', `acct_${index}`),
).sort()
const today = () => new Date().toISOString().slice(0, 10)

/** Starts a database for a fleet of one instance. Its route `label` is in stage `shadow` and in mode `auto`. */
export const startGateDatabase = () => {
  let test: TestDatabase
  const database = () => test.db
  const change = (requested: RouteChange, who = 'alice') =>
    database().transaction((tx) =>
      changeRouteState(tx, { scope: label, change: requested, who, reason: 'a test' }, evidenceKeys),
    )

  const saveComparisons = (changes: Partial<ComparedDay>) =>
    saveEvidenceCounts(database(), [
      { ...noComparisonSums, label, evidenceKey, instanceId: 'a', day: today(), accounts, ...changes },
    ])

  beforeAll(async () => {
    test = await createTestDatabase()
  })
  afterAll(() => test.close())

  return {
    get db() {
      return test.db
    },
    get sql() {
      return test.sql
    },
    change,
    saveComparisons,

    /** Deletes all evidence and state, then puts the route in `shadow` and stores a clean contract run. */
    async reset() {
      await test.sql`truncate evidence_counts, evidence_set, route_usage, mismatch, contract_result, route_state,
        gateway_instance, fleet_observations`
      await upsertInstance(database(), { id: 'a', build: 'b', keys: { [label]: evidenceKey }, epoch: 0 })
      const result = {
        label,
        evidenceKey,
        problems: 0,
        forbiddingDifferences: 0,
        validUntil: null,
        who: 'ci',
      }
      await database().transaction((tx) =>
        saveContractResults(tx, [{ ...result, at: new Date().toISOString() }]),
      )
      await change({ kind: 'shadow' })
      await change({ kind: 'mode', mode: 'auto' })
    },

    async saveGoodEvidence() {
      await saveComparisons({ comparisons: 700, copies: 800, drops: 10, statuses: { 200: 650, 404: 50 } })
      await saveRouteUsage(database(), [
        { label, day: today(), instanceId: 'a', statuses: { 200: 9000, 404: 600 }, shapes: {}, accounts },
      ])
    },

    addComparisons: () => database().transaction((tx) => addNewComparisons(tx, limits.test)),
    async evaluate() {
      const outcomes = await database().transaction((tx) =>
        evaluateGates(tx, { evidenceKeys, limits, fixedScopes: new Set<string>() }),
      )
      return {
        promotions: outcomes.filter((found) => found.kind === 'promoted'),
        recommendations: outcomes.filter((found) => found.kind === 'recommended'),
        stops: outcomes.flatMap((found) => (found.kind === 'stop' ? [found.stop] : [])),
      }
    },

    async serveNatively(requests: number) {
      const { valid } = parseRouteStates(await listRouteStates(database()))
      const epoch = await findRoutingEpoch(database())
      const steps = observedStepsOf([label], { states: valid, epoch })
      const guard = createNativeGuard({
        steps,
        evidenceKeys,
        stored: null,
        health: unmeasuredDatabase,
        log: createRecordingLog(),
      })
      for (let request = 0; request < requests; request += 1)
        guard.settled(settledByNative(label, 'served', epoch))
      await evaluateFleet({ db: database(), instanceId: 'a', guard })
    },

    async readState() {
      const [row] = await test.sql`
        select state, weight_bp, version, failed_evidence_key from route_state where scope = ${label}`
      return row
    },
    listAudit: () =>
      test.sql`select who, action, reason, after->>'weightBp' as weight from route_audit order by epoch, id`,
  }
}
