import { readdirSync, readFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { ApiError } from '#contracts/errors.ts'
import { update } from '#contracts/libraries.ts'
import { updateLibrary } from '#db/queries/libraries/libraries.ts'
import { defineRoute } from '#native-routes/define-route.ts'
import { handlers } from '#native-routes/index.ts'
import { createLibrary } from '#test/support/fixtures.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'
import { createRandom } from '#test/support/random.ts'
import { storeRouteState } from '#test/support/routing.ts'

const label = 'libraries.update'
const accounts = 200
const perSecond = 5
/**
 * How long to send writes at most. On an idle machine, a minute is enough. A busy machine needs longer, because the
 * gateway sends no comparison requests to a slow core.
 */
const limitMs = 240_000
const enoughComparisons = 6

const correct = handlers[label]

const storing = (rename: (name: string) => string, respond: (stored: string) => string) =>
  defineRoute(update, ({ library, body }, { db }) =>
    db.tx(async (tx) => {
      const { name = '' } = body
      const changed = await updateLibrary(tx, library.id, { ...body, name: rename(name) })
      if (!changed) throw new ApiError('library_name_conflict')
      return { ...changed, name: respond(changed.name) }
    }),
  )

const faults = [
  [
    'returns a wrong response',
    'mismatches',
    storing(
      (name) => name,
      (name) => `${name}!`,
    ),
  ],
  [
    'stores a wrong value',
    'mismatches',
    storing(
      (name) => `${name}!`,
      (name) => name.slice(0, -1),
    ),
  ],
  [
    'stores nothing',
    'mismatches',
    defineRoute(update, async ({ library, body }) => ({
      id: library.id,
      name: body.name ?? '',
      description: null,
      createdAt: new Date().toISOString(),
      updatedAt: new Date().toISOString(),
    })),
  ],
  [
    'returns 404 to everyone',
    'rejections',
    defineRoute(update, async () => {
      throw new ApiError('library_not_found')
    }),
  ],
  ['has no fault', null, correct],
] as const

/** Raises child processes from the lowest priority, at which one takes half a minute to start on a busy machine. */
const raiseChildren = () => {
  try {
    for (const thread of readdirSync('/proc/self/task'))
      for (const pid of readFileSync(`/proc/self/task/${thread}/children`, 'utf8').trim().split(' '))
        if (pid !== '') setPriority(Number(pid), constants.priority.PRIORITY_NORMAL)
  } catch {
    // This process is not root, or the child has already ended.
  }
}

describe.each(faults)(
  'a canary that %s, for a quarter of the accounts,',
  { timeout: 360_000 },
  (_, cause, handler) => {
    const gateway = startTestGateway({ core: 'sandbox', handlers: { ...handlers, [label]: handler } })
    const clients: { readonly account: TestAccount; readonly path: string }[] = []

    beforeAll(async () => {
      for (let index = 0; index < accounts; index += 1) {
        // Gives the same buckets in every run.
        const account = await gateway.signUp({ accountId: `acct_writes_${index}` })
        clients.push({ account, path: `/v1/libraries/${(await createLibrary(account)).id}` })
      }
      await storeRouteState(gateway.database, { scope: label, state: 'canary', weightBp: 2500 })
    }, 120_000)

    const findStop = () => gateway.log.lines.find(({ message }) => message === 'native route stopped')

    it(cause === null ? 'is not stopped' : 'is stopped', async () => {
      const random = createRandom(1)
      const write = async (count: number) => {
        const client = clients[Math.floor(random() * accounts)]
        await client?.account.patch(client.path, { name: `Name ${count}` })
      }
      const readSums = async () => {
        const [sums] = await gateway.database.sql`
          select coalesce(sum(comparisons), 0)::int as comparisons, coalesce(sum(regressions), 0)::int as regressions
          from evidence_counts where label = ${label}`
        return sums
      }
      const isCompared = async () => cause === null && (await readSums())?.comparisons >= enoughComparisons
      const endsAt = performance.now() + limitMs
      const writing: Promise<void>[] = []
      for (let count = 0; !findStop() && performance.now() < endsAt && !(await isCompared()); count += 1) {
        writing.push(write(count))
        raiseChildren()
        await sleep(1000 / perSecond)
      }
      await Promise.all(writing)
      if (cause !== null) return expect(findStop()?.fields).toMatchObject({ route: label, cause })
      expect(findStop()).toBeUndefined()
      expect(await readSums()).toEqual({ comparisons: expect.any(Number), regressions: 0 })
      expect(await isCompared()).toBe(true)
    })
  },
)
