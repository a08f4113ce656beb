import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { routingChannel } from '#db/queries/routing/route-states.ts'
import { createRandom } from '#test/support/random-choices.ts'
import { type AdoptionReport, measureAdoption, readCommits } from './adoption.ts'
import { createChanger } from './change-routing.ts'
import { checkRequests, type RequestReport } from './check-requests.ts'
import { createAccounts, startLoad } from './load.ts'
import { openFleet } from './open-fleet.ts'
import { createRoutingModel } from './routing-model.ts'

interface ChangesOptions {
  readonly folder: string
  readonly changes: number
  readonly losesNotifications?: boolean
  readonly seed?: number
  readonly rate?: number
}

export interface ChangesReport {
  readonly adoption: AdoptionReport
  readonly requests: RequestReport
}

export const listAccountIds = (count: number) => Array.from({ length: count }, (_, index) => `acct_${index}`)

/** Longer than instances buffer their log lines. */
export const logDelayMs = 600

const maxPauseMs = 40
/**
 * Instances that only poll adopt a change at a poll. Random pauses up to this length keep the next change from always
 * coming right after that poll.
 */
const maxPauseOfPollsMs = 500

/** The first requests open connections and compile code, so the changes start after this. */
const warmUpMs = 3000

/** The number of statements that an instance needs to adopt an epoch. */
const statements = 6

/**
 * Starts a client in the measuring process. After each notification, it sends the same number of statements as an
 * instance, which shows how fast adoption could be on this machine.
 */
const startControlClient = async (databaseUrl: string) => {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => undefined })
  const completed = new Map<number, number>()
  const follow = async (epoch: number) => {
    for (let count = 0; count < statements; count++) await sql`select 1`
    completed.set(epoch, Date.now())
  }
  // Statements fail once the client is closed.
  await sql.listen(routingChannel, (payload) => void follow(Number(payload)).catch(() => undefined))
  return {
    /** When the last statement for each epoch completed, as Unix time in milliseconds. */
    completed: completed as ReadonlyMap<number, number>,
    close: () => sql.end({ timeout: 1 }),
  }
}

export const proveChanges = async ({
  folder,
  changes,
  losesNotifications = false,
  seed = 1,
  rate = 40,
}: ChangesOptions): Promise<ChangesReport> => {
  const fleet = await openFleet({ folder, losesNotifications })
  try {
    const random = createRandom(seed)
    const accounts = await createAccounts(fleet, listAccountIds(40))
    const model = createRoutingModel(fleet.installationSalt)
    const changer = createChanger({ fleet, model, accounts, random })
    await changer.begin(5000)
    const load = startLoad(fleet, { accounts, rate })
    await sleep(warmUpMs)
    const control = await startControlClient(fleet.databaseUrl)
    fleet.stopBefore(control.close)
    const [begun] = await fleet.sql`select epoch from routing_epoch`
    for (let count = 0; count < changes; count++) {
      await changer.changeAnything()
      await sleep(random.below(losesNotifications ? maxPauseOfPollsMs : maxPauseMs))
    }
    await load.stop()
    await sleep(logDelayMs)
    return {
      adoption: measureAdoption(fleet, await readCommits(fleet.sql, Number(begun?.epoch)), control.completed),
      requests: checkRequests(fleet.instances, load.samples, model),
    }
  } finally {
    await fleet.stop()
  }
}
