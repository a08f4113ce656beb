import { setTimeout as sleep } from 'node:timers/promises'
import { eq, lt, sql } from 'drizzle-orm'
import type { Label } from '#contracts/route-table.ts'
import { openDatabase } from '#db/client/connection.ts'
import { publishRoutingEpoch, type RouteStateRow, saveRouteState } from '#db/queries/routing/route-states.ts'
import { evidenceCounts } from '#db/schema/comparisons.ts'
import { gatewayInstance, routeState } from '#db/schema/routing.ts'
import type { RouteStage } from '#migration/model/route-state.ts'
import type { Bench } from './open-bench.ts'

export interface BenchState {
  readonly stage: RouteStage
  readonly weightBp: number
}

const createRow = (scope: Label, { stage, weightBp }: BenchState): RouteStateRow => ({
  scope,
  stage,
  weightBp,
  killed: false,
  held: false,
  mode: 'observe',
  evidenceKey: null,
  failedEvidenceKey: null,
  drillUntil: null,
  version: 1,
})

/** Opens a connection that changes stored states without the operator API's checks, until the benchmark ends. */
export const openRoutingStates = ({ databaseUrl, stopAtEnd }: Bench) => {
  const database = openDatabase(databaseUrl, { connections: 1 })
  stopAtEnd({ stop: () => database.close() })
  const { db } = database

  const write = (scope: Label, state: BenchState | null) =>
    db.transaction(async (tx) => {
      await tx.delete(routeState).where(eq(routeState.scope, scope))
      if (state) await saveRouteState(tx, createRow(scope, state))
      return publishRoutingEpoch(tx)
    })

  return {
    /**
     * Stores a route's state, or removes it if `state` is null. Resolves once all instances have adopted the change.
     */
    async store(scope: Label, state: BenchState | null) {
      const epoch = await write(scope, state)
      // Each instance stores the epoch of the routing states that it has adopted.
      while ((await db.select().from(gatewayInstance).where(lt(gatewayInstance.epoch, epoch))).length > 0)
        await sleep(50)
    },
    async forgetInstances() {
      await db.delete(gatewayInstance)
    },
    async countComparisons() {
      const [row] = await db
        .select({ count: sql<number>`coalesce(sum(${evidenceCounts.comparisons}), 0)::int` })
        .from(evidenceCounts)
      return row?.count ?? 0
    },
  }
}
