import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { create } from '#contracts/packs.ts'
import type { Database, Queryable, Reader } from '#db/client/connection.ts'
import { preparedWrite } from '#db/client/drizzle.ts'
import { packs } from '#db/schema/packs.ts'
import { defineRoute, NotPortedError } from '#native-routes/define-route.ts'
import { handlers } from '#native-routes/index.ts'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway } from '#test/support/gateway.ts'

type WritePack = (
  read: Reader,
  pack: { id: string; ownerId: string; name: string; description: null },
) => PromiseLike<unknown>

const insertPack = preparedWrite((db) =>
  db
    .insert(packs)
    .values({
      id: sql.placeholder('id'),
      ownerId: sql.placeholder('ownerId'),
      name: sql.placeholder('name'),
      description: null,
    })
    .prepare('insert_pack_through_read'),
)
const asWriter = (read: Reader) => read as Queryable
const asDatabase = (read: Reader) => read as Database['db']

const writes: readonly (readonly [string, WritePack])[] = [
  ['an insert', (read, pack) => asWriter(read).insert(packs).values(pack)],
  ['a prepared write', (read, pack) => insertPack(asWriter(read)).execute(pack)],
  [
    'a statement on the session',
    (read, { id, ownerId, name }) =>
      (read._.session as unknown as Queryable).execute(
        sql`insert into packs (id, owner_id, name) values (${id}, ${ownerId}, ${name})`,
      ),
  ],
  [
    'a WITH clause that inserts',
    (read, pack) => {
      const db = asDatabase(read)
      const inserted = db.$with('inserted').as(db.insert(packs).values(pack).returning())
      return db.with(inserted).select().from(inserted)
    },
  ],
]

let write: WritePack
let isCaught = false

const createPack = defineRoute(create, async ({ actor, body }, { db }) => {
  const pack = { id: crypto.randomUUID(), ownerId: actor.accountId, name: body.name, description: null }
  try {
    await write(db.read, pack)
  } catch (error) {
    if (!isCaught) throw error
  }
  throw new NotPortedError()
})

describe('a handler that writes through `read`', () => {
  const gateway = startTestGateway({
    core: 'sandbox',
    handlers: { ...handlers, 'packs.create': createPack },
    nativeLabels: ['packs.create'],
    control: 'fixed',
  })

  const post = async () => {
    const account = await gateway.signUp()
    const response = await account.post('/v1/packs', { name: 'Harbour EP' })
    const rows = await gateway.database.sql`select from packs where owner_id = ${account.accountId}`
    return { response, packCount: rows.length }
  }

  it.each(writes)('fails before %s is sent', async (_, through) => {
    write = through
    isCaught = false
    const { response, packCount } = await post()
    expect([response.status, response.body]).toEqual([500, errorBody('internal_error')])
    expect(packCount).toBe(0)
    // The log names the cause of a route's failures only once every ten seconds.
    const failures = gateway.log.lines.filter(({ level }) => level === 'error')
    expect(JSON.stringify(failures)).toContain('ReadOnlyViolation')
  })

  it.each(writes)('leaves the pack to the core if it catches the error of %s', async (_, through) => {
    write = through
    isCaught = true
    const { response, packCount } = await post()
    expect([response.status, response.headers.get('x-service-proxy-fallback')]).toEqual([201, '1'])
    expect(packCount).toBe(1)
  })
})
