import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readJobsCommand } from '#bin/process/jobs-command.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { insertVersion } from '#test/support/track-fixtures.ts'

const queues =
  'process-version, check-asset, dispatch-analysis, import-stems, send-invitation, notify-operators'

describe('npm run jobs -- redrive', () => {
  const gateway = startTestGateway()

  const run = (args: readonly string[], environment: NodeJS.ProcessEnv = gateway.database.environment) =>
    new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
      const program = fileURLToPath(import.meta.resolve('#bin/jobs.ts'))
      const env = { ...process.env, ...environment }
      execFile(process.execPath, [program, ...args], { env }, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, stdout, stderr }),
      )
    })

  const insertDeadLetter = async () => {
    const { sql } = gateway.database
    const account = await gateway.signUp()
    const trackId = await insertTrackOf(sql, account.accountId)
    const { id: versionId } = await insertVersion(sql, trackId)
    const runId = crypto.randomUUID()
    await sql`
      insert into ingestion_runs (id, track_id, version_id, trigger, status, error_code)
      values (${runId}, ${trackId}, ${versionId}, 'upload', 'failed', 'storage_unavailable')`
    await sql`
      insert into pgboss.job (name, data, state, completed_on, keep_until)
      values ('process-version', ${sql.json({ queue: 'process-version', runId })}, 'failed', now(), now() + interval '1 day')`
    return runId
  }

  it('needs only the database, and says how many jobs it put back', async () => {
    const runs = [await insertDeadLetter(), await insertDeadLetter()]
    expect(await run(['redrive', '--queue', 'check-asset'])).toEqual({
      code: 0,
      stdout: 'no dead-lettered jobs\n',
      stderr: '',
    })
    expect(await run(['redrive'])).toEqual({
      code: 0,
      stdout: 'process-version: 2 jobs put back\n',
      stderr: '',
    })
    const { sql } = gateway.database
    const jobs =
      await sql`select data->>'runId' as run, state, retry_limit from pgboss.job where name = 'process-version'`
    expect(jobs.map((job) => job.run).toSorted()).toEqual(runs.toSorted())
    for (const job of jobs) expect(job).toMatchObject({ state: 'created', retry_limit: 4 })
    expect((await run(['redrive'])).stdout).toBe('no dead-lettered jobs\n')
  }, 60_000)

  it('says how many jobs are no longer needed', async () => {
    const { sql } = gateway.database
    const runId = await insertDeadLetter()
    await sql`delete from tracks where id = (select track_id from ingestion_runs where id = ${runId})`
    expect(await run(['redrive', '--queue', 'process-version'])).toMatchObject({
      code: 0,
      stdout: 'process-version: 0 jobs put back, 1 no longer needed\n',
    })
  })

  it.each([
    [['redrive', '--queue', 'process'], `there is no queue process: use one of ${queues}`],
    [['redrive', 'now'], 'unknown command redrive now'],
    [['drive'], 'unknown command drive'],
    [['--queue', 'check-asset'], '--queue needs redrive'],
  ])('rejects the arguments %j, and says why', (args, message) => {
    expect(() => readJobsCommand(args)).toThrow(message)
  })

  it('prints its usage', async () => {
    const { code, stdout } = await run(['redrive', '--help'], { DATABASE_URL: '' })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^usage: npm run jobs -- \[redrive\] \[flags\]$/m)
    expect(stdout).toContain('--queue NAME')
    expect(stdout).toContain(`queues: ${queues}`)
  })

  it('exits with 1 and prints the cause if the database cannot be reached', async () => {
    const { code, stdout, stderr } = await run(['redrive'], {
      ...gateway.database.environment,
      DATABASE_URL: 'postgres://nobody:secret@127.0.0.1:9/none',
    })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^.+database.+\n$/)
    expect(stderr).not.toContain('secret')
  })

  it('lists missing settings', async () => {
    const { code, stderr } = await run(['redrive'], { DATABASE_URL: '' })
    expect(code).toBe(1)
    expect(stderr).toContain('DATABASE_URL')
  })
})
