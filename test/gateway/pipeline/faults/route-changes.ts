import { setTimeout as sleep } from 'node:timers/promises'
import { changeRouteState } from '#migration/control/change-route-state.ts'
import { readOwnBuild } from '#migration/evidence-keys/own-build.ts'
import type { RouteChange } from '#migration/model/apply-change.ts'
import { selectEvidenceKeys } from '#migration/model/evidence-keys.ts'
import type { RouteScope } from '#migration/model/route-scope.ts'
import { handlers } from '#native-routes/index.ts'
import { operatorTokens } from '#test/support/operators.ts'
import type { FaultyInstances } from './faulty-instances.ts'

const label = 'libraries.create'
const wideScopes = ['libraries.*', '*'] as const
const scopes = [label, ...wideScopes] as const
const weights = [0, 5000, 9999, 9999, 10_000]
const rollbackTimeoutMs = 10_000

interface ChangeOptions {
  readonly target: FaultyInstances
  readonly accountIds: readonly string[]
  readonly random: () => number
}

/**
 * Makes random changes to `libraries.create` until `stop` is called, like several concurrent operators: to its weight,
 * to the kills and holds of every scope that contains it, and to account overrides. Also cuts the connections on which
 * the instances read their routing state.
 */
export const startChanges = ({ target, accountIds, random }: ChangeOptions) => {
  const { healthy } = target
  const evidenceKeys = selectEvidenceKeys(readOwnBuild(), handlers, new Map())
  const counts = { ramps: 0, kills: 0, holds: 0, overrides: 0, cuts: 0 }
  let isStopped = false
  let isRollbackExpected = false

  const pause = (minMs: number, maxMs: number) => sleep(minMs + random() * (maxMs - minMs))
  const pick = <T>(items: readonly T[]): T => {
    const item = items[Math.floor(random() * items.length)]
    if (item === undefined) throw new Error('expected an item to pick')
    return item
  }
  const send = async (method: string, path: string, body: object) => {
    const { status, body: response } = await healthy.requestAdmin(method, path, {
      token: operatorTokens.alice,
      body: { ...body, reason: 'a test' },
    })
    // 404 and 409: another operator or the monitor may have changed the route first.
    if (![200, 404, 409].includes(status)) throw new Error(`${method} ${path}: ${status} ${response.message}`)
    return status === 200
  }
  const change = (scope: string, kind: string) =>
    send('POST', `/api/routes/${encodeURIComponent(scope)}/changes`, { change: { kind } })

  // Bypasses the operator API, which waits until all instances have adopted the change. An instance whose connection is
  // cut would delay it.
  const changeAtOnce = async (scope: RouteScope, requested: RouteChange) => {
    const outcome = await healthy.database.db.transaction((tx) =>
      changeRouteState(tx, { scope, change: requested, who: 'alice', reason: 'a test' }, evidenceKeys),
    )
    return outcome.kind === 'changed'
  }
  // A rollback requires that the route still has the version at which the failures were observed.
  const waitForRollback = async () => {
    isRollbackExpected = true
    const startedAt = performance.now()
    const { sql } = healthy.database
    while (!isStopped && performance.now() - startedAt < rollbackTimeoutMs) {
      const [row] = await sql`select weight_bp from route_state where scope = ${label}`
      if (row?.weight_bp === 0) break
      await sleep(20)
    }
    isRollbackExpected = false
  }
  const ramp = async () => {
    const weightBp = pick(weights)
    const isChanged = await changeAtOnce(label, { kind: 'ramp', weightBp })
    if (isChanged) counts.ramps += 1
    if (isChanged && weightBp === 9999 && random() < 0.5) await waitForRollback()
    else await pause(20, 200)
  }
  const killAndResume = async () => {
    const scope = pick(isRollbackExpected ? wideScopes : scopes)
    if (await changeAtOnce(scope, { kind: 'kill' })) counts.kills += 1
    await pause(0, 100)
    await changeAtOnce(scope, { kind: 'resume' })
    await pause(200, 800)
  }
  const holdAndRelease = async () => {
    if (isRollbackExpected) return pause(20, 50)
    const scope = pick(scopes)
    if (await change(scope, 'hold')) counts.holds += 1
    await pause(50, 300)
    await change(scope, 'release')
    await pause(200, 600)
  }
  const override = async () => {
    const key = { accountId: pick(accountIds), scope: pick(scopes) }
    if (await send('PUT', '/api/overrides', { ...key, side: pick(['native', 'core']) })) counts.overrides += 1
    await pause(50, 300)
    await send('DELETE', '/api/overrides', key)
  }
  // The cut can last longer than a polling interval, so the other instance may be one state ahead.
  const cutRoutingState = async () => {
    const { routingRelay } = pick(target.instances())
    routingRelay.setUnavailable(true)
    counts.cuts += 1
    await pause(100, 900)
    routingRelay.setUnavailable(false)
    await pause(1000, 3000)
  }

  const repeat = async (work: () => Promise<void>) => {
    while (!isStopped) await work()
  }
  const loops = Promise.all([ramp, killAndResume, holdAndRelease, override, cutRoutingState].map(repeat))
  const requireRunning = loops.catch((error: unknown) => {
    isStopped = true
    throw error
  })
  requireRunning.catch(() => undefined)
  return {
    counts,
    /** Also false after an unexpected failure; `stop` then rejects. */
    isRunning: () => !isStopped,
    async stop() {
      isStopped = true
      await requireRunning
    },
  }
}
