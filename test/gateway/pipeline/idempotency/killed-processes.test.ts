import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Label } from '#contracts/route-table.ts'
import { type ServerProcess, startServer } from '#dev/start/start-child.ts'
import { type DatabaseRelay, startDatabaseRelay } from '#test/support/database-relay.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { createRandom } from '#test/support/random.ts'
import { environmentOfWrites, type PreparedWrite, prepareWrite, sendWrite } from './write-cases.ts'

const kills = Number(process.env.KILLS ?? 1000)
const seed = Number(process.env.FAULT_SEED ?? Date.now() % 1_000_000)
const random = createRandom(seed)
// The kills are split evenly among five moments: after a random time, at a random message to the database, at a random
// COMMIT, at a COMMIT that stores a response, and at a change at the provider. The database still gets the message, and
// the provider still makes the change. A random moment may come after the last write.
const longestDelayMs = 200
const maxMessages = 150
const maxCommits = 25
const maxStored = 8
const changesAtProvider = ['/v1/checkout/sessions', '/v1/billing_portal/sessions', '/v1/subscriptions/']
const retryTimeoutMs = 30_000

const labels = [
  'libraries.create',
  'tracks.share-links.create',
  'tracks.versions.upload',
  'tracks.uploads.finalize',
  'billing.checkout',
  'billing.portal',
  'billing.change-plan',
] as const satisfies readonly Label[]

type Sent = Awaited<ReturnType<typeof sendWrite>>

interface KilledWrite {
  readonly write: PreparedWrite
  readonly key: string
  /** Null if the process was killed before it responded. */
  readonly first: Sent | null
}

describe('writes with idempotency keys whose gateway processes are killed', () => {
  const harness = startTestGateway({ billing: true, storage: true, environment: environmentOfWrites })
  const processes: ServerProcess[] = []
  const relays: DatabaseRelay[] = []
  let compiled = ''

  // Only a process that shuts down gracefully writes the compile cache, which later processes use.
  const start = (index: number) =>
    startServer('the gateway', new URL(import.meta.resolve('#bin/server.ts')), {
      ...harness.environment,
      DATABASE_URL: relays[index]?.url,
      DATABASE_DIRECT_URL: harness.database.directUrl,
      // Lets the relay see the text of each statement.
      DATABASE_PREPARE: 'off',
      ADMIN_PORT: 'off',
      PUBLIC_BASE_URL: 'https://api.example',
      DRAIN_MS: '500',
      LOG_LEVEL: 'silent',
      NODE_COMPILE_CACHE: compiled,
    })
  beforeAll(async () => {
    compiled = await mkdtemp(join(tmpdir(), 'crossfade-compiled-'))
    for (let index = 0; index < 2; index++) relays.push(await startDatabaseRelay(harness.database.url))
    await (await start(0)).stop()
    processes.push(await start(0), await start(1))
  }, 180_000)
  afterAll(async () => {
    await Promise.all(processes.map((each) => each.stop()))
    await Promise.all(relays.map((each) => each.close()))
    await rm(compiled, { recursive: true, force: true })
  })

  const retryUntilDone = async (url: string, { write, key }: KilledWrite): Promise<Sent> => {
    const deadline = Date.now() + retryTimeoutMs
    for (;;) {
      const sent = await sendWrite(url, write, key)
      if (sent.status < 300) return sent
      // The killed process's transaction may still be open.
      if (![409, 503].includes(sent.status) || Date.now() > deadline)
        throw new Error(`${write.label} returned ${sent.status} ${sent.text} (FAULT_SEED=${seed})`)
      await sleep(20)
    }
  }

  const countRowsOf = async ({ label, account: { accountId } }: PreparedWrite) => {
    const { sql } = harness.database
    const count = async (rows: PromiseLike<readonly unknown[]>) => (await rows).length
    const sessions = Object.values(harness.billing.store.sessions)
    switch (label) {
      case 'libraries.create':
        return count(sql`select from libraries where owner_id = ${accountId}`)
      case 'tracks.share-links.create':
        return count(sql`
          select from track_share_links join tracks on tracks.id = track_id where owner_id = ${accountId}`)
      case 'tracks.versions.upload':
        return count(sql`
          select from uploads join tracks on tracks.id = track_id where owner_id = ${accountId}`)
      case 'tracks.uploads.finalize':
        return count(sql`
          select from track_versions join tracks on tracks.id = track_id where owner_id = ${accountId}`)
      case 'billing.checkout':
        return sessions.filter(({ metadata }) => metadata.account_id === accountId).length
      case 'billing.change-plan':
        return count(sql`
          select from subscriptions where account_id = ${accountId} and plan_id = 'pro'`)
      default:
        return 1
    }
  }

  const waitForMessage = (
    relay: DatabaseRelay,
    isCounted: (statement: string | null, sent: string) => boolean,
    max: number,
  ) => {
    let remaining = Math.floor(random() * max)
    return new Promise<void>((resolve) => {
      relay.onStatement = (statement, sent) => {
        if (isCounted(statement, sent) && remaining-- === 0) resolve()
        return null
      }
    })
  }

  const waitForStoredResponse = (relay: DatabaseRelay) => {
    let stored = 0
    return waitForMessage(
      relay,
      (statement, sent) => {
        if (sent.includes('insert into "idempotency_keys"')) stored += 1
        return statement === 'commit' && stored > 0 && stored-- > 0
      },
      maxStored,
    )
  }

  const waitForChange = async (changed: string, { aborted }: { aborted: () => boolean }) => {
    const { requests } = harness.billing
    const before = requests.length
    const isChange = ({ method, path }: (typeof requests)[number]) =>
      method === 'POST' && path.startsWith(changed)
    while (!aborted() && !requests.slice(before).some(isChange)) await sleep(1)
  }

  const waitAtRandom = (index: number, relay: DatabaseRelay, options: { aborted: () => boolean }) => {
    const round = Math.floor(index / 5)
    switch (index % 5) {
      case 0:
        return sleep(random() * longestDelayMs)
      case 1:
        return waitForMessage(relay, () => true, maxMessages)
      case 2:
        return waitForMessage(relay, (statement) => statement === 'commit', maxCommits)
      case 3:
        return waitForStoredResponse(relay)
      default:
        return waitForChange(changesAtProvider[round % changesAtProvider.length] ?? '', options)
    }
  }

  const killDuringWrites = async (index: number): Promise<readonly KilledWrite[]> => {
    const victim = processes[index % 2]
    const relay = relays[index % 2]
    if (!victim || !relay) throw new Error('the processes are not started')
    const writes = await Promise.all(labels.map((label) => prepareWrite(harness, label)))
    let isKilled = false
    const waiting = waitAtRandom(index, relay, { aborted: () => isKilled })
    const serving = writes.map(async (write): Promise<KilledWrite> => {
      const key = crypto.randomUUID()
      const first = await sendWrite(victim.url, write, key).catch(() => null)
      return { write, key, first }
    })
    await Promise.race([waiting, Promise.all(serving)])
    process.kill(victim.pid, 'SIGKILL')
    isKilled = true
    await victim.exited
    relay.onStatement = () => null
    return Promise.all(serving)
  }

  it(`have each effect once, and return the same body (FAULT_SEED=${seed})`, {
    timeout: 60_000 + kills * 20_000,
  }, async () => {
    const counts = { responded: 0, replayed: 0, repeated: 0, continued: 0 }
    for (let index = 0; index < kills; index++) {
      const killed = await killDuringWrites(index)
      const restarting = start(index % 2)
      const survivor = processes[(index + 1) % 2]?.url ?? ''
      for (const killedWrite of killed) {
        const { write, key, first } = killedWrite
        const wasOpened = write.label === 'billing.checkout' && (await countRowsOf(write)) === 1
        const retried = await retryUntilDone(survivor, killedWrite)
        if (first) expect(retried).toEqual({ ...first, isReplayed: true })
        counts[first ? 'responded' : retried.isReplayed ? 'replayed' : 'repeated'] += 1
        if (wasOpened && !retried.isReplayed) counts.continued += 1
        expect(await sendWrite(survivor, write, key)).toEqual({ ...retried, isReplayed: true })
        expect(await countRowsOf(write), `${write.label} (FAULT_SEED=${seed})`).toBe(1)
      }
      processes[index % 2] = await restarting
    }
    // The run is meaningful only if kills hit writes before their effect, after it, and between the provider's effect
    // and the COMMIT that stores the response.
    expect(counts.replayed).toBeGreaterThan(0)
    expect(counts.repeated).toBeGreaterThan(0)
    expect(counts.continued).toBeGreaterThan(0)
  })
})
