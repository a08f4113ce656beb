import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, openDatabase, type Queryable, type Reader } from '#db/client/connection.ts'
import { preparedRead, preparedWrite } from '#db/client/drizzle.ts'
import { packs } from '#db/schema/packs.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

const newPack = () => ({ id: crypto.randomUUID(), ownerId: 'acct_1', name: 'Harbour EP', description: null })

const packOf = preparedRead((db) =>
  db
    .select({ name: packs.name })
    .from(packs)
    .where(eq(packs.id, sql.placeholder('id')))
    .prepare('pack_of'),
)
const insertPack = preparedWrite((db) => db.insert(packs).values(newPack()).prepare('insert_pack'))

/** Returns the text of the error, or of its cause if drizzle wrapped it. */
const describeError = async (run: () => PromiseLike<unknown>) => {
  try {
    await run()
  } catch (error) {
    return String(error instanceof Error && error.cause ? error.cause : error)
  }
  return 'none'
}

// Casts that a handler could use to get around the types.
const asWriter = (reader: Reader) => reader as Queryable
const asDatabase = (reader: Reader) => reader as Database['db']
const sessionOf = (reader: Reader) =>
  reader._.session as unknown as {
    execute(query: object): Promise<unknown>
    readonly client: { unsafe(text: string): PromiseLike<unknown> }
  }

describe('a reader', () => {
  let database: TestDatabase
  let opened: Database
  let reader: Reader

  beforeAll(async () => {
    database = await createTestDatabase()
    opened = openDatabase(database.url, { connections: 1 })
    reader = opened.reader
  })
  afterAll(async () => {
    await opened.close()
    await database.close()
  })

  const send = async (text: string) => sessionOf(reader).client.unsafe(text)
  const countPacks = async () => (await database.sql`select from packs`).length

  it('runs selects and prepared reads', async () => {
    const pack = newPack()
    await database.db.insert(packs).values(pack)
    expect(await packOf(reader).execute({ id: pack.id })).toEqual([{ name: pack.name }])
    expect(await reader.select({ id: packs.id }).from(packs).where(eq(packs.id, pack.id))).toEqual([
      { id: pack.id },
    ])
    await database.sql`delete from packs`
  })

  it.each([
    ['insert', () => asWriter(reader).insert(packs).values(newPack())],
    ['update', () => asWriter(reader).update(packs).set({ name: 'x' })],
    ['delete', () => asWriter(reader).delete(packs)],
    ['execute', () => asWriter(reader).execute(sql`select 1`)],
    ['a select that locks', () => asWriter(reader).select().from(packs).for('key share')],
    ['a transaction', () => asDatabase(reader).transaction(async (tx) => tx.insert(packs).values(newPack()))],
    ['a prepared write', () => insertPack(asWriter(reader)).execute()],
    ['the session', () => sessionOf(reader).execute(sql`delete from packs`)],
    [
      'a WITH clause of drizzle',
      () => {
        const { db } = opened
        const inserted = db.$with('inserted').as(db.insert(packs).values(newPack()).returning())
        return asDatabase(reader).with(inserted).select().from(inserted)
      },
    ],
  ])('does not run %s', async (_, write) => {
    expect(await describeError(write)).toMatch(/^ReadOnlyViolation: .*use a transaction$/)
    expect(await countPacks()).toBe(0)
  })

  const insertion = `insert into packs (id, owner_id, name) values ('a', 'b', 'c')`

  it.each([
    insertion,
    ` ${insertion}`,
    `INSERT INTO packs (id, owner_id, name) VALUES ('a', 'b', 'c')`,
    `with x as (${insertion} returning id) select * from x`,
    `with x as (select 1)${insertion}`,
    'with x as (update packs set name = $1 returning 1) select * from x',
    'with x as (delete from packs returning 1) select * from x',
    'with x as (merge into packs using packs p on false when not matched then do nothing) select 1',
    `select 'it''s', "a""b" from packs; ${insertion}`,
    'select 1;',
    'select * into copies from packs',
    'select id from packs for update',
    'select id from packs for no key update',
    'select id from packs for share',
    'select id from packs for key share',
    `select '\\'; ${insertion}; --'`,
    `select e'\\'' from packs; ${insertion}; --'`,
    `select $$'$$; ${insertion}; --'`,
    `select $a$'$a$; ${insertion}; --'`,
    `select 1 -- '\n; ${insertion}; --'`,
    `select 1 /* ' */; ${insertion}; --'`,
    `/* a comment */ ${insertion}`,
    `select "a'"; ${insertion} -- '`,
    `select 'unfinished`,
    'truncate packs',
    'create table copies ()',
    'copy packs to stdout',
    'do $$ begin end $$',
    'call f()',
    'begin',
    'set default_transaction_read_only = off',
    'explain analyze delete from packs',
    '',
  ])('does not send %j', async (text) => {
    await expect(send(text)).rejects.toThrow(/use a transaction/)
    expect(await countPacks()).toBe(0)
  })

  it.each([
    `select 'insert into packs; -- $$ /*' as text`,
    `select 1 as "update", 2 as "delete;--", 3 as "it's"`,
    `select 'it''s; delete from packs' as "a""; delete"`,
    '(select 1) union (select 2)',
    'with x as (select 1) select * from x',
    `select substring('abc' from 2 for 1), '{"a":1}'::jsonb ->> 'a', 1 - -1`,
    'select updated_at, inserted, u_delete from (select now() as updated_at, 1 as inserted, 2 as u_delete) x',
  ])('sends %j', async (text) => {
    await expect(send(text)).resolves.toHaveLength(text.includes('union') ? 2 : 1)
  })

  it('still checks each statement after it has seen more statements than its cache can hold', async () => {
    for (let n = 0; n < 1500; n++) expect(() => sessionOf(reader).client.unsafe(`select ${n}`)).not.toThrow()
    await expect(send(insertion)).rejects.toThrow(/use a transaction/)
  })
})
