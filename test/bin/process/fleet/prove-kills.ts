import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import * as z from 'zod'
import type { Label } from '#contracts/route-table.ts'
import { labelsIn, type RouteScope } from '#migration/model/route-scope.ts'
import { operatorTokens } from '#test/support/operators.ts'
import { createRandom } from '#test/support/random-choices.ts'
import { createChanger } from './change-routing.ts'
import { checkRequests, findArrival, findSelectedSide, type RequestReport } from './check-requests.ts'
import type { Instance } from './instance.ts'
import { createAccounts, loadRoutes, startLoad } from './load.ts'
import { openFleet } from './open-fleet.ts'
import { listAccountIds, logDelayMs } from './prove-changes.ts'
import { createRoutingModel } from './routing-model.ts'
import { listStalls, overlaps } from './stalls.ts'

interface KillsOptions {
  readonly folder: string
  readonly kills: number
  readonly commands: number
  readonly rate?: number
}

interface Kill {
  readonly scope: string
  readonly by: 'API' | 'command'
  /** Time from the start of the call to its response, or from the start of the command to its exit. */
  readonly completedMs: number
  /**
   * Time from the start of the call or command until native accepted the last request; 0 if it accepted none after the
   * start.
   */
  readonly lastNativeMs: number
  /** Whether the database or an event loop stalled during `lastNativeMs`. */
  readonly isStalled: boolean
}

export interface KillsReport {
  readonly kills: readonly Kill[]
  readonly requests: RequestReport
}

const root = join(import.meta.dirname, '../../../..')
const command = join(root, 'bin/routes.ts')
const run = promisify(execFile)

const Printed = z.object({ epoch: z.number() })

/** Runs `npm run -s routes -- kill SCOPE --json` without npm. Rejects if it fails. */
const changeByCommand = async ({ adminUrl }: Instance, scope: string, kind: string): Promise<number> => {
  const env = { ...process.env, ADMIN_URL: adminUrl, OPERATOR_TOKEN: operatorTokens.alice }
  const preload = ['--import', join(root, 'scripts/check-node.mjs')]
  const operands = [kind, scope, '--reason', 'measured', '--json']
  const { stdout } = await run(process.execPath, [...preload, command, ...operands], { env })
  return Printed.parse(JSON.parse(stdout)).epoch
}

const scopes: readonly RouteScope[] = ['tracks.list', 'tracks.*', '*']
const observedMs = 1500

const findLastNative = (instances: readonly Instance[], scope: RouteScope, from: number, to: number) => {
  const killed = new Set<string>(labelsIn(scope).filter((label: Label) => label in loadRoutes))
  const arrivals = instances.flatMap((instance) =>
    instance
      .lines()
      .filter((line) => line.msg === 'request' && killed.has(line.route ?? ''))
      .filter((line) => findSelectedSide(line) === 'native')
      .map(findArrival)
      .filter((at) => at >= from && at < to),
  )
  return arrivals.reduce((last, at) => Math.max(last, at), from)
}

export const proveKills = async ({
  folder,
  kills,
  commands,
  rate = 40,
}: KillsOptions): Promise<KillsReport> => {
  const fleet = await openFleet({ folder })
  try {
    const accounts = await createAccounts(fleet, listAccountIds(40))
    const model = createRoutingModel(fleet.installationSalt)
    const random = createRandom(3)
    const changer = createChanger({ fleet, model, accounts, random })
    await changer.begin(9900)
    const load = startLoad(fleet, { accounts, rate })
    await sleep(3000)
    const made: { scope: RouteScope; by: Kill['by']; from: number; completedMs: number; until: number }[] = []
    for (let count = 0; count < kills; count++) {
      await sleep(300 + random.below(200))
      const scope = scopes[count % scopes.length] ?? '*'
      const by = count < kills - commands ? 'API' : 'command'
      const from = Date.now()
      await changer.setKilled(scope, true, by === 'command' ? changeByCommand : undefined)
      const completedMs = Date.now() - from
      await sleep(Math.max(0, observedMs - completedMs))
      made.push({ scope, by, from, completedMs, until: Date.now() })
      await changer.setKilled(scope, false)
    }
    await load.stop()
    await sleep(logDelayMs)
    const stalls = listStalls(fleet.instances, fleet)
    return {
      kills: made.map(({ from, until, ...kill }) => {
        const lastNative = findLastNative(fleet.instances, kill.scope, from, until)
        return {
          ...kill,
          lastNativeMs: lastNative - from,
          isStalled: overlaps(stalls, from, lastNative),
        }
      }),
      requests: checkRequests(fleet.instances, load.samples, model),
    }
  } finally {
    await fleet.stop()
  }
}
