import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { startJobsProcess, startServer } from '#dev/start/start-child.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { recordOutput } from '#test/support/record-output.ts'
import { requestAt } from '#test/support/request-at.ts'

const server = new URL(import.meta.resolve('#bin/server.ts'))
const jobs = new URL(import.meta.resolve('#bin/jobs.ts'))

// Runs only in the thorough tests, in projects with a pooler.
describe.skipIf(inject('databaseServer').poolerUrl === null)('the processes behind a pooler', () => {
  const gateway = startTestGateway({ storage: true })
  let database: TestDatabase
  let environment: Record<string, string>
  beforeAll(async () => {
    database = await createTestDatabase({ isMigrated: false })
    environment = {
      ...gateway.environment,
      ...database.environment,
      PUBLIC_BASE_URL: 'https://api.example',
      LOG_LEVEL: 'silent',
    }
  })
  afterAll(() => database.close())

  it('start at the same time on an empty database, serve requests and process jobs', async () => {
    const processes = await Promise.all([
      startServer('the gateway', server, environment),
      startServer('the other gateway', server, environment),
      startJobsProcess('the jobs', jobs, environment),
    ])
    const [first, second, worker] = processes
    const { token } = await gateway.signUp()
    const created = await requestAt(first.url, 'POST', '/v1/libraries', { token, body: { name: 'Pooled' } })
    expect(created.status).toBe(201)
    // Reads and writes are sent at the same time, so the instances take turns on the pooler's connections.
    const path = `/v1/libraries/${created.body.id}`
    const responses = await Promise.all(
      Array.from({ length: 60 }, (_, index) => {
        const url = index % 2 === 0 ? first.url : second.url
        return index % 3 === 0
          ? requestAt(url, 'PATCH', path, { token, body: { name: `Pooled ${index}` } })
          : requestAt(url, 'GET', path, { token })
      }),
    )
    expect(responses.map(({ status, headers }) => [status, headers.get('x-service-core-runtime')])).toEqual(
      responses.map(() => [200, 'native']),
    )
    await expect
      .poll(() => requestAt(worker.adminUrl ?? '', 'GET', '/readyz'), { timeout: 10_000 })
      .toMatchObject({ status: 200, body: { database: 'up', jobs: 'up' } })
    await Promise.all(processes.map((child) => child.stop()))
  }, 60_000)

  it('exit with one sentence that names DATABASE_PREPARE=off if prepared statements are on', async () => {
    for (const module of [server, jobs]) {
      const { code, stderr } = await recordOutput(module, { ...environment, DATABASE_PREPARE: 'on' })
      expect(code).toBe(1)
      expect(stderr).toMatch(/^the pooler at DATABASE_URL does not support .* set DATABASE_PREPARE=off.*\n$/)
    }
  }, 30_000)
})
