import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshDatabase, type TestDatabase } from '#test/support/database.ts'

const script = join(import.meta.dirname, '../../../gateway/migrate.ts')

const migrate = (databaseUrl: string): Promise<{ stdout: string; stderr: string; code?: number }> =>
  promisify(execFile)(process.execPath, [script], {
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl },
  }).catch((error) => error)

describe('a migration by hand', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await freshDatabase()
  })
  afterAll(() => database.close())

  const addressWith = (part: 'pathname' | 'password', value: string) => {
    const url = new URL(database.url)
    url[part] = value
    return url.href
  }

  it('says when it is done', async () => {
    expect(await migrate(database.url)).toMatchObject({ stdout: 'the database is up to date\n', stderr: '' })
  })

  it.each([
    ['unset', () => '', 'DATABASE_URL is missing'],
    ['no address', () => 'postgres://u:se/kr#et@127.0.0.1:1/x', 'DATABASE_URL must be a postgres address'],
    ['of another kind', () => 'http://u:se-kr-et@127.0.0.1:1/x', 'DATABASE_URL must be a postgres address'],
    ['nobody listens at', () => 'postgres://u:se-kr-et@127.0.0.1:1/x', 'nothing listens there'],
    ['of no database', () => addressWith('pathname', '/no-such-database'), 'there is no such database'],
    ['with a wrong password', () => addressWith('password', 'se-kr-et'), 'the user or the password is wrong'],
  ])('names a setting that is %s in a line, and never its value', async (_, address, fault) => {
    const { code, stdout, stderr } = await migrate(address())
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('DATABASE_URL')
    expect(stderr).toContain(fault)
    expect(stderr).not.toMatch(/kr.et|no-such-database|\bat /)
  })
})
