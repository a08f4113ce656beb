import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listLocations } from '#dev/postgres/location.ts'
import { removeEmbeddedPostgres, startEmbeddedPostgres } from '#dev/postgres/start.ts'
import { createLibrary } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { fetchAsCore, openComparer, shadowedRequest } from './comparer-fixtures.ts'

/** Starts a server in recovery, like a replica. */
const startReplica = async (dataDir: string) => {
  const primary = await startEmbeddedPostgres({ dataDir })
  await primary.stop()
  for (const folder of await listLocations(dataDir))
    await writeFile(join(folder, 'cluster', 'standby.signal'), '').catch(() => undefined)
  return startEmbeddedPostgres({ dataDir })
}

const body = Buffer.from('{"error":"rate_limited"}')

describe('the database for comparisons', { timeout: 60_000 }, () => {
  const gateway = startTestGateway()
  const role = `reader_${crypto.randomUUID().replaceAll('-', '')}`
  let shadowUrl: string
  const byRole = openComparer(gateway, { settings: () => ({ SHADOW_DATABASE_URL: shadowUrl }) })
  let replica: Awaited<ReturnType<typeof startEmbeddedPostgres>>
  let dataDir: string
  const byReplica = openComparer(gateway, { settings: () => ({ SHADOW_DATABASE_URL: replica.url }) })
  const byNone = openComparer(gateway, {
    settings: () => ({ SHADOW_DATABASE_URL: 'postgres://127.0.0.1:1/none' }),
  })

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'crossfade-replica-'))
    replica = await startReplica(dataDir)
  })
  afterAll(async () => {
    await replica.stop()
    await removeEmbeddedPostgres(dataDir)
    await rm(dataDir, { recursive: true, force: true })
  })

  const createTask = async (
    label: 'libraries.detail' | 'libraries.list' = 'libraries.detail',
    query = '',
  ) => {
    const owner = await gateway.signUp()
    const { id } = await createLibrary(owner)
    const target = label === 'libraries.list' ? '/v1/libraries' : `/v1/libraries/${id}`
    const core = await fetchAsCore(gateway, target, owner)
    return { kind: 'shadow', label, request: shadowedRequest(target + query, owner), core } as const
  }

  it('may be opened with a role that can only select', async () => {
    const { sql, directUrl } = gateway.database
    await sql.unsafe(`create role ${role} login password 'reader'`)
    await sql.unsafe(`grant usage on schema public to ${role}`)
    await sql.unsafe(`grant select on all tables in schema public to ${role}`)
    shadowUrl = Object.assign(new URL(directUrl), { username: role, password: 'reader' }).href
    try {
      const result = await byRole.compare(await createTask())
      expect(result).toMatchObject({ kind: 'compared', class: 'equal' })
      const own = postgres(shadowUrl, { max: 1 })
      await expect(own`delete from libraries`).rejects.toThrow('permission denied')
      await own.end()
    } finally {
      await byRole.close()
      await sql.unsafe(`drop owned by ${role}`)
      await sql.unsafe(`drop role ${role}`)
    }
  })

  it('must not be a replica, or nothing is compared and this is logged once', async () => {
    const task = await createTask()
    for (const _ of [1, 2])
      expect(await byReplica.compare(task)).toEqual({ kind: 'not_comparable', reason: 'replica' })
    expect(byReplica.log.lines.map(({ message }) => message)).toEqual([
      'shadow database is a replica, comparisons skipped',
    ])
  })

  it('may be unreachable, which does not count against native', async () => {
    const result = await byNone.compare(await createTask())
    expect(result).toMatchObject({ kind: 'not_comparable', reason: 'database' })
    expect(byNone.log.lines).toEqual([])
  })

  it('may fail, but then the gate still learns what the core served, if native could serve it', async () => {
    const unreachable = { kind: 'not_comparable', reason: 'database' }
    const shapes = expect.arrayContaining(['body.records one', 'body.records.*.description null'])
    expect(await byNone.compare(await createTask('libraries.list'))).toEqual({ ...unreachable, shapes })
    expect(await byNone.compare(await createTask('libraries.list', '?limit=1'))).toEqual(unreachable)
    const limited = { ...(await createTask('libraries.list')), core: { status: 429, headers: [], body } }
    expect(await byNone.compare(limited)).toEqual(unreachable)
  })
})
