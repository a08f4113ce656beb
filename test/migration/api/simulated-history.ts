import type postgres from 'postgres'
import type { Label } from '#contracts/route-table.ts'
import { initialStateOf, type RouteStage, weightOfStage } from '#migration/model/route-state.ts'

interface OldChange {
  readonly ageDays: number
  readonly scope: Label
  readonly stage: RouteStage
  readonly action?: string
  readonly who?: string
  readonly killed?: boolean
}

/**
 * Changes from the five months before today: several routes become native, some of them only for a while, one is
 * stopped, and one is killed for a day.
 */
const changes: readonly OldChange[] = [
  { ageDays: 160, scope: 'tracks.detail', stage: 'shadow', action: 'shadow' },
  { ageDays: 140, scope: 'tracks.detail', stage: 'canary' },
  { ageDays: 130, scope: 'tracks.detail', stage: 'native' },
  { ageDays: 100, scope: 'tracks.list', stage: 'shadow', action: 'shadow' },
  { ageDays: 80, scope: 'tracks.list', stage: 'canary', who: 'auto' },
  { ageDays: 70, scope: 'tracks.list', stage: 'native', who: 'auto' },
  { ageDays: 60, scope: 'tracks.create', stage: 'canary' },
  { ageDays: 55, scope: 'tracks.create', stage: 'native' },
  { ageDays: 50, scope: 'tracks.create', stage: 'proxy', action: 'rollback', who: 'auto' },
  { ageDays: 45, scope: 'packs.create', stage: 'canary' },
  { ageDays: 40, scope: 'packs.create', stage: 'native' },
  { ageDays: 36, scope: 'packs.create', stage: 'native', action: 'kill', killed: true },
  { ageDays: 35, scope: 'packs.create', stage: 'native', action: 'resume' },
  { ageDays: 20, scope: 'packs.update', stage: 'canary' },
  { ageDays: 10, scope: 'packs.update', stage: 'native' },
]

/** Stores these changes and the states they led to, as if each had been made `ageDays` ago. */
export const createHistory = async (sql: postgres.Sql) => {
  let epoch = 0
  const states = new Map<Label, ReturnType<typeof initialStateOf>>()
  for (const { ageDays, scope, stage, action = 'ramp', who = 'alice', killed = false } of changes) {
    const before = states.get(scope) ?? initialStateOf(scope)
    const after = {
      ...before,
      stage,
      weightBp: weightOfStage(stage) ?? 500,
      killed,
      version: before.version + 1,
    }
    states.set(scope, after)
    epoch += 1
    await sql`insert into route_audit (id, at, who, scope, action, before, after, reason, epoch)
      values (${`old-${epoch}`}, date_trunc('milliseconds', statement_timestamp()) - ${ageDays} * interval '24 hours',
        ${who}, ${scope}, ${action}, ${sql.json({ ...before })}, ${sql.json({ ...after })}, ${`${action} of ${ageDays} days ago`}, ${epoch})`
  }
  for (const { scope, stage, weightBp, killed, held, mode, version } of states.values())
    await sql`insert into route_state (scope, state, weight_bp, killed, held, mode, version)
      values (${scope}, ${stage}, ${weightBp}, ${killed}, ${held}, ${mode}, ${version})`
  await sql`update routing_epoch set epoch = ${epoch}`
}
