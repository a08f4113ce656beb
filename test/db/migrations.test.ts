import { randomUUID } from 'node:crypto'
import postgres from 'postgres'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { migrateDatabase } from '#db/migrate.ts'

const listTables = (sql: postgres.Sql) =>
  sql`select table_name from information_schema.tables where table_schema = 'public' order by table_name`.values()

describe('the migrations', () => {
  const { url } = inject('databaseServer')
  const name = `empty_${randomUUID().replaceAll('-', '')}`
  const emptyUrl = new URL(`/${name}`, url).href
  const admin = postgres(url, { max: 1 })
  const sql = postgres(emptyUrl, { max: 1 })

  afterAll(async () => {
    await sql.end()
    await admin`drop database if exists ${admin(name)} with (force)`
    await admin.end()
  })

  it('are applied once by instances that start together', async () => {
    await admin`create database ${admin(name)}`
    await Promise.all(Array.from({ length: 4 }, () => migrateDatabase(emptyUrl)))

    const tables = (await listTables(sql)).flat()
    expect(tables).toContain('libraries')
    expect(tables).toContain('tracks')
    const [applied] =
      await sql`select count(*)::int, count(distinct hash)::int as files from drizzle.__drizzle_migrations`
    expect(applied!.count).toBe(applied!.files)
  })

  it('change nothing on an up-to-date database', async () => {
    await sql`insert into libraries (id, owner_id, name, name_key) values ('l', 'acct', 'Demos', 'DEMOS')`
    const before = await listTables(sql)
    await migrateDatabase(emptyUrl)
    expect(await listTables(sql)).toEqual(before)
    expect(await sql`select name from libraries`).toHaveLength(1)
  })

  it('report that the database does not exist', async () => {
    await expect(migrateDatabase(new URL('/nowhere', url).href)).rejects.toThrow(
      'database "nowhere" does not exist',
    )
  })
})
