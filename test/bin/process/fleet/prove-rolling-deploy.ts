import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { copyProject } from '#test/dev/start/copy-project.ts'
import { createRandom } from '#test/support/random-choices.ts'
import { createChanger } from './change-routing.ts'
import { createAccounts, startLoad } from './load.ts'
import { fleetSize, openFleet } from './open-fleet.ts'
import { requestRefusedChange } from './operator-client.ts'
import { listAccountIds, logDelayMs } from './prove-changes.ts'
import { createRoutingModel } from './routing-model.ts'

export interface RollingDeployReport {
  /** Requests for `tracks.list` to the instance without its handler, and how many of them that instance forwarded. */
  readonly requests: number
  readonly forwarded: number
  readonly statuses: Readonly<Record<string, number>>
  /** The status of the response to raising the weight, and whether its message names that instance. */
  readonly raiseStatus: number
  readonly namesInstance: boolean
}

/** Copies this repository, as it was before `tracks.list` was ported, to a temporary folder. Returns the folder. */
const copyOlderBuild = async (): Promise<string> => {
  const folder = await copyProject()
  const registry = join(folder, 'native-routes/index.ts')
  const lines = (await readFile(registry, 'utf8')).split('\n')
  const older = lines.filter((line) => !/\blistTracks\b/.test(line))
  if (lines.length - older.length !== 2) throw new Error('tracks.list is not registered by two lines')
  await writeFile(registry, older.join('\n'))
  return folder
}

/** Adds an instance that lacks a native route's handler, as deploying an older version would. */
export const proveRollingDeploy = async (folder: string): Promise<RollingDeployReport> => {
  const olderBuild = await copyOlderBuild()
  const fleet = await openFleet({ folder, size: fleetSize - 1 })
  try {
    const accounts = await createAccounts(fleet, listAccountIds(40))
    const model = createRoutingModel(fleet.installationSalt)
    const changer = createChanger({ fleet, model, accounts, random: createRandom(11) })
    await changer.begin(5000)
    await changer.ramp(10_000)
    await fleet.add(olderBuild)
    const load = startLoad(fleet, { accounts })
    await sleep(3000)
    await changer.ramp(5000)
    await sleep(1000)
    const [first] = fleet.instances
    const older = fleet.instances.at(-1)
    if (!first || !older) throw new Error('the fleet is empty')
    const refused = await requestRefusedChange(first, 'tracks.list', { kind: 'ramp', weightBp: 9000 })
    await load.stop()
    await sleep(logDelayMs)

    const [row] = await fleet.sql`select id from gateway_instance where not (keys ? 'tracks.list')`
    const ofOlder = load.samples.filter(
      ({ instance, label }) => instance === older && label === 'tracks.list',
    )
    const statuses: Record<string, number> = {}
    for (const { status } of load.samples) statuses[status] = (statuses[status] ?? 0) + 1
    return {
      requests: ofOlder.length,
      forwarded: ofOlder.filter(({ status, runtime }) => status === 200 && runtime === 'proxy').length,
      statuses,
      raiseStatus: refused.status,
      namesInstance: row !== undefined && refused.message.includes(String(row.id)),
    }
  } finally {
    await fleet.stop()
    await rm(olderBuild, { recursive: true, force: true })
  }
}
