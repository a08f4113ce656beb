import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startJobs } from '#bin/process/start-jobs.ts'
import { startGateway } from '#bin/start-gateway.ts'
import { requireMigratedDatabase } from '#db/migrate.ts'
import { readJobSettings, readSandboxSettings } from '#gateway/settings/settings.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { operatorTokens, testOperators } from '#test/support/operators.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { requestAt } from '#test/support/request-at.ts'
import { uploadFile } from '#test/support/uploads.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8')
const [, documentedGrants = ''] = /^```sql\n(GRANT .*?)^```$/ms.exec(page) ?? []
const ofPublic = `
  grant usage on schema public to app;
  grant select, insert, update, delete on all tables in schema public to app;
  grant usage on all sequences in schema public to app;`

const gateway = startTestGateway({ core: 'recording', storage: true })

const createRole = async () => {
  const { sql, directUrl } = gateway.database
  const role = `role_${crypto.randomUUID().replaceAll('-', '')}`
  await sql.unsafe(`create role ${role} login password 'role-password'`)
  onTestFinished(async () => {
    await sql.unsafe(`drop owned by ${role}; drop role ${role}`)
  })
  await sql.unsafe((ofPublic + documentedGrants).replaceAll(/\bapp\b/g, role))
  const url = new URL(directUrl)
  url.username = role
  url.password = 'role-password'
  return url.href
}

it('a role with the documented privileges can run a gateway and a job worker', async () => {
  const roleUrl = await createRole()
  await requireMigratedDatabase(roleUrl)
  const log = createRecordingLog()
  const environment = { ...gateway.environment, DATABASE_URL: roleUrl, OPERATORS: testOperators }
  const running = await startGateway({ settings: readSandboxSettings(environment), log })
  onTestFinished(() => running.close())

  const killed = await requestAt(running.adminUrl ?? '', 'POST', '/api/routes/tracks.list/changes', {
    token: operatorTokens.alice,
    body: { change: { kind: 'kill' }, reason: 'a title is wrong' },
  })
  expect(killed).toMatchObject({ status: 200, body: { state: { killed: true } } })

  const { token, ...account } = await gateway.signUp()
  const post: typeof account.post = (path, body) => requestAt(running.url, 'POST', path, { token, body })
  const trackId = await insertTrackOf(gateway.database.sql, account.accountId)
  expect(await uploadFile({ ...account, token, post }, trackId)).toMatchObject({ status: 'finalized' })

  const jobs = readJobSettings({ ...environment, PUBLIC_BASE_URL: running.url }, () => true)
  const worker = await startJobs(jobs, log, { sweepIntervalMs: 100 })
  const versions = () => gateway.database.sql`select status from track_versions where track_id = ${trackId}`
  // The file is not really a sound.
  await expect.poll(versions).toEqual([{ status: 'failed' }])
  await worker.stop()
  expect(log.lines.filter(({ level }) => level === 'error')).toEqual([])
})
